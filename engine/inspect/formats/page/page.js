"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const nodes = new Map(data.nodes.map((node) => [node.id, node]));
const groups = new Map(data.groups.map((group) => [group.id, group]));
const open = new Set();
let step = 0, timer = null, chosen = null, view = null;

function make(name, attributes, parent, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  if (parent) parent.append(element);
  return element;
}
function tag(name, text, parent, attributes = {}) {
  const element = Object.assign(document.createElement(name), attributes);
  if (text !== undefined) element.textContent = text;
  if (parent) parent.append(element);
  return element;
}

/* What stands for a node while groups are closed: itself, or the outermost closed group around it. */
function standing(id) {
  let found = id;
  for (let group = nodes.get(id).group; group; group = groups.get(group).parent) if (!open.has(group)) found = group;
  return found;
}
function shown(group) {
  for (let id = groups.get(group).parent; id; id = groups.get(id).parent) if (!open.has(id)) return false;
  return true;
}
function boxOf(id) {
  if (nodes.has(id)) return nodes.get(id);
  const group = groups.get(id);
  return { ...group, w: 210, h: 56 };
}

/* ------------------------------------------------------------------ drawing */
function draw() {
  const svg = $("graph"), focus = document.activeElement && document.activeElement.dataset ? document.activeElement.dataset.id : null;
  svg.replaceChildren();
  const arrow = make("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse" }, make("defs", {}, svg));
  make("path", { d: "M0,0L8,4L0,8z", fill: "context-stroke" }, arrow);
  for (const group of data.groups) if (open.has(group.id) && shown(group.id)) frame(svg, group);
  const drawn = new Set();
  for (const line of data.lines) edge(svg, line, drawn);
  for (const group of data.groups) if (!open.has(group.id) && shown(group.id)) closed(svg, group);
  for (const node of data.nodes) if (standing(node.id) === node.id) box(svg, node);
  if (focus) { const again = svg.querySelector(`[data-id="${focus}"]`); if (again) again.focus(); }
  mark();
}
function frame(svg, group) {
  const g = make("g", { class: "frame", "data-frame": group.id }, svg);
  make("rect", { x: group.x - group.w / 2, y: group.y - group.h / 2, width: group.w, height: group.h, rx: 8 }, g);
  make("text", { class: "head", x: group.x - group.w / 2 + 10, y: group.y - group.h / 2 + 16 }, g, `${group.times} ${group.where} (click to close)`);
  g.addEventListener("click", () => toggle(group.id));
}
function shell(svg, id, kind, name) {
  const g = make("g", { class: `box ${kind}`, "data-id": id, tabindex: 0, role: "button", "aria-label": name }, svg);
  g.addEventListener("keydown", (event) => { if (event.key === "Enter") { activate(id); event.stopPropagation(); } });
  g.addEventListener("click", (event) => { activate(id); event.stopPropagation(); });
  return g;
}
function closed(svg, group) {
  const g = shell(svg, group.id, "group", `${group.times} ${group.where}`), x = group.x - 105, y = group.y - 28;
  make("rect", { x, y, width: 210, height: 56, rx: 8 }, g);
  make("text", { class: "head", x: x + 12, y: y + 22 }, g, `${group.times} ${group.where}`);
  make("text", { class: "small", x: x + 12, y: y + 40 }, g, `${group.nodes} nodes, click to open`);
}
function box(svg, node) {
  const g = shell(svg, node.id, node.role + (node.id === data.root ? " root" : ""), node.rows.join(", "));
  const x = node.x - node.w / 2, y = node.y - node.h / 2;
  make("rect", { x, y, width: node.w, height: node.h, rx: node.role === "leaf" ? node.h / 2 : 5, style: `fill:var(--${node.role})` }, g);
  node.rows.forEach((row, i) => make("text", { class: i === 0 ? "head" : "", x: x + 9, y: y + 18 + 15 * i }, g, row));
  make("text", { class: "gradient", x: x + 4, y: y - 5 }, g, "");
  g.addEventListener("mouseenter", () => light([node.id]));
  g.addEventListener("mouseleave", () => light([]));
}
function edge(svg, line, drawn) {
  const from = standing(line.from), to = standing(line.to), key = from + " " + to;
  if (drawn.has(key) || (from === to && from !== line.from)) return;
  drawn.add(key);
  let d = line.d;
  if (from !== line.from || to !== line.to) {
    const a = boxOf(from), b = boxOf(to), sign = b.y > a.y ? 1 : -1;
    const y0 = a.y + sign * a.h / 2, y1 = b.y - sign * b.h / 2, bend = (y1 - y0) / 2;
    d = `M${a.x},${y0}C${a.x},${y0 + bend} ${b.x},${y1 - bend} ${b.x},${y1}`;
  }
  const g = make("g", { class: "line" + (line.back ? " back" : ""), "data-from": from, "data-to": to }, svg);
  make("path", { d, "marker-end": "url(#arrow)" }, g);
}

/* ------------------------------------------------------------------ choosing, lighting */
function toggle(id) { open.has(id) ? open.delete(id) : open.add(id); draw(); }
function reveal(id) { for (let group = nodes.get(id).group; group; group = groups.get(group).parent) open.add(group); draw(); }
function activate(id) {
  if (groups.has(id)) { toggle(id); return; }
  chosen = id; mark(); details(nodes.get(id));
}
function light(ids) {
  const lit = new Set(ids.map(standing)), lines = new Set(ids.map((id) => nodes.get(id)).map((n) => `${n.file}:${n.line}`));
  document.querySelectorAll("#graph .box").forEach((g) => g.classList.toggle("lit", lit.has(g.dataset.id)));
  document.querySelectorAll("#graph .line").forEach((g) => g.classList.toggle("lit", lit.has(g.dataset.from) || lit.has(g.dataset.to)));
  document.querySelectorAll("#source .row").forEach((row) => row.classList.toggle("lit", lines.has(row.dataset.line)));
}
function facts(parent, title, values) {
  if (!values.length) return;
  tag("h3", title, parent);
  for (const value of values) tag("code", value, tag("div", undefined, parent));
}
function details(node) {
  const panel = $("details");
  panel.replaceChildren();
  tag("h2", `${node.id} ${node.variable || node.op}${node.count > 1 ? "  ×" + node.count : ""}`, panel);
  facts(panel, "source", node.line ? [`${node.file}:${node.line}`, node.source] : []);
  facts(panel, "shape", [`${node.shape.length ? node.shape.join("×") : "a number"}, ${node.dtype}`]);
  facts(panel, "value", node.value === null ? [] : [node.value]);
  facts(panel, "rule: what goes to each input", node.rules.map((rule) => `${rule.input} (${rule.to}): ${rule.rule}`));
  facts(panel, "saved for backward", node.saved.map((s) => `${s.name} ${s.shape.length ? s.shape.join("×") : ""} ${s.bytes} B${s.value === null ? "" : " = " + s.value}`));
  const turns = data.steps.filter((turn) => turn.node === node.id);
  facts(panel, "gradient", turns.slice(0, 5).map((turn) => `step ${turn.number}: ${turn.gradient}`));
  facts(panel, "sends", turns.slice(0, 1).flatMap((turn) => turn.sent.map((s) => `${s.to} ← ${s.gradient}`)));
  panel.dataset.node = node.id;
}

/* ------------------------------------------------------------------ the backward pass */
function go(to) {
  step = Math.max(0, Math.min(data.steps.length, to));
  if (step === data.steps.length) pause();
  if (step) { const turn = data.steps[step - 1]; if (standing(turn.node) !== turn.node) reveal(turn.node); chosen = turn.node; details(nodes.get(turn.node)); queue(turn); }
  mark();
}
function queue(turn) {
  const panel = $("details");
  facts(panel, `step ${turn.number}: why it was ready`, [turn.reason]);
  facts(panel, "ready queue after it", turn.ready.length ? turn.ready : ["empty"]);
  facts(panel, "afterwards", [turn.outcome]);
}
function mark() {
  const turn = step ? data.steps[step - 1] : null, done = new Set(), arrived = new Map();
  for (const past of data.steps.slice(0, step)) {
    done.add(past.node);
    arrived.set(past.node, past.total || past.gradient);
    for (const sent of past.sent) if (!done.has(sent.to)) arrived.set(sent.to, arrived.has(sent.to) ? arrived.get(sent.to) + " + " + sent.gradient : sent.gradient);
  }
  document.querySelectorAll("#graph .box").forEach((g) => {
    const id = g.dataset.id;
    g.classList.toggle("chosen", id === chosen);
    g.classList.toggle("now", !!turn && id === turn.node);
    g.classList.toggle("done", done.has(id) && !(turn && id === turn.node));
    g.classList.toggle("ready", !!turn && turn.ready.includes(id));
    const text = g.querySelector("text.gradient");
    const value = step && arrived.has(id) ? "g = " + arrived.get(id) : "";
    if (text) text.textContent = value.length > 30 ? value.slice(0, 29) + "…" : value;
  });
  document.querySelectorAll("#graph .line").forEach((g) =>
    g.classList.toggle("sent", !!turn && g.dataset.from === standing(turn.node) && turn.sent.some((s) => standing(s.to) === g.dataset.to)));
  $("step").textContent = data.steps.length ? `${step} of ${data.steps.length}` : "no pass recorded";
}
function pause() { clearInterval(timer); timer = null; $("play").textContent = "play"; }
function play() {
  if (timer) { pause(); return; }
  if (step === data.steps.length) step = 0;
  $("play").textContent = "pause";
  timer = setInterval(() => go(step + 1), 700);
  go(step + 1);
}

/* ------------------------------------------------------------------ pan, zoom, search, keys */
function show() { $("graph").setAttribute("viewBox", `${view.x} ${view.y} ${view.w} ${view.h}`); }
function fit() {
  const area = $("graph").getBoundingClientRect(), ratio = area.width / Math.max(area.height, 1);
  let w = data.width + 120, h = data.height + 60;
  if (w / h < ratio) w = h * ratio; else h = w / ratio;
  view = { x: (data.width - w) / 2 + 20, y: (data.height - h) / 2, w, h };
  show();
}
function zoom(factor, x = view.x + view.w / 2, y = view.y + view.h / 2) {
  view = { x: x - (x - view.x) * factor, y: y - (y - view.y) * factor, w: view.w * factor, h: view.h * factor };
  show();
}
function at(event) {
  const area = $("graph").getBoundingClientRect(), scale = Math.max(view.w / area.width, view.h / area.height);
  return [view.x + view.w / 2 + (event.clientX - area.left - area.width / 2) * scale, view.y + view.h / 2 + (event.clientY - area.top - area.height / 2) * scale];
}
let hits = [], hit = -1;
function search(again) {
  const word = $("search").value.trim().toLowerCase();
  if (!again) { hits = word ? data.nodes.filter((n) => `${n.id} ${n.op} ${n.variable || ""} ${n.source} line ${n.line}`.toLowerCase().includes(word)).map((n) => n.id) : []; hit = -1; }
  $("found").textContent = word ? `${hits.length} found` : "";
  if (!again || !hits.length) { light(hits); return; }
  hit = (hit + 1) % hits.length;
  reveal(hits[hit]);
  chosen = hits[hit]; details(nodes.get(chosen)); mark(); light(hits);
  const node = nodes.get(chosen);
  view = { ...view, x: node.x - view.w / 2, y: node.y - view.h / 2 }; show();
}
$("graph").addEventListener("wheel", (event) => { event.preventDefault(); zoom(event.deltaY > 0 ? 1.15 : 1 / 1.15, ...at(event)); }, { passive: false });
let held = null;
$("graph").addEventListener("pointerdown", (event) => { held = at(event); });
window.addEventListener("pointermove", (event) => { if (held && event.buttons) { const [x, y] = at(event); view.x -= x - held[0]; view.y -= y - held[1]; show(); } });
window.addEventListener("pointerup", () => { held = null; });
$("search").addEventListener("input", () => search(false));
$("search").addEventListener("keydown", (event) => { if (event.key === "Enter") search(true); if (event.key === "Escape") { event.target.value = ""; search(false); event.target.blur(); } });
const moves = { ArrowUp: [0, -1], ArrowDown: [0, 1] };
const keys = { " ": play, ArrowRight: () => go(step + 1), ArrowLeft: () => go(step - 1), Home: () => go(0), End: () => go(data.steps.length), "+": () => zoom(1 / 1.25), "=": () => zoom(1 / 1.25), "-": () => zoom(1.25), 0: fit, g: all, t: theme, "/": () => $("search").focus() };
document.addEventListener("keydown", (event) => {
  if (event.target === $("search") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.tagName === "BUTTON" && event.key === " ") return;
  if (moves[event.key]) { view.x += moves[event.key][0] * view.w / 10; view.y += moves[event.key][1] * view.h / 10; show(); event.preventDefault(); }
  if (keys[event.key]) { keys[event.key](); event.preventDefault(); }
});
function all() { open.size ? open.clear() : data.groups.forEach((group) => open.add(group.id)); draw(); }
function theme() { const root = document.documentElement; root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark"; }
for (const [id, action] of Object.entries({ first: () => go(0), back: () => go(step - 1), play, next: () => go(step + 1), last: () => go(data.steps.length), fit, groups: all, theme })) $(id).addEventListener("click", action);

/* ------------------------------------------------------------------ the panels */
for (const file of data.program) {
  tag("h2", file.name, $("source"));
  file.lines.forEach((text, i) => {
    const key = `${file.name}:${i + 1}`, ids = data.nodes.filter((n) => n.file === file.name && n.line === i + 1).map((n) => n.id);
    const row = tag("div", undefined, $("source"), { className: "row" + (ids.length ? " known" : "") });
    row.dataset.line = key;
    tag("span", String(i + 1), row, { className: "number" });
    row.append(text);
    if (!ids.length) return;
    row.tabIndex = 0;
    row.addEventListener("mouseenter", () => light(ids));
    row.addEventListener("mouseleave", () => light([]));
    row.addEventListener("focus", () => light(ids));
    row.addEventListener("click", () => { reveal(ids[0]); activate(ids[0]); light(ids); });
    row.addEventListener("keydown", (event) => { if (event.key === "Enter") row.click(); });
  });
}
for (const [role, text] of Object.entries(data.roles)) { tag("span", undefined, $("notes"), { className: "key", style: `background:var(--${role})` }); $("notes").append(text); }
for (const note of data.notes) tag("div", note, $("notes"));
tag("p", "Click a node for its rule, saved values and gradient; hover a line of the program for its nodes. Keys: / search, ← → steps, space play, + − 0 zoom, g groups, t theme.", $("details"));
document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
if (!data.groups.length) $("groups").hidden = true;
draw(); fit();
window.addEventListener("resize", fit);
