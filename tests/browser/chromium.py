"""A headless Chromium driven over a pipe, without any driver to install."""

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import time

PATH = next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe", "--force-device-scale-factor=1"]


def _connect(there, back):
    """Puts the pipes where Chromium looks for them; first out of each other's way."""
    there, back = (fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 20) for end in (there, back))
    os.dup2(there, 3)
    os.dup2(back, 4)


class Page:
    """One page. Every wait ends after some seconds with an error."""

    def __init__(self, url, profile, width=1200, height=800):
        there, self._write = os.pipe()
        self._read, back = os.pipe()
        flags = [*FLAGS, f"--user-data-dir={profile}", f"--window-size={width},{height}"]
        self.process = subprocess.Popen(
            [PATH, *flags, "about:blank"],
            preexec_fn=lambda: _connect(there, back),
            close_fds=False,  # what Python opened is not inherited anyway
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(there)
        os.close(back)
        self._number, self._buffer, self._session = 0, b"", None
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Page.enable")
        self.call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'")

    def call(self, method, **parameters):
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]

    def _next(self):
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], 30)
            data = os.read(self._read, 1 << 16) if ready else b""
            assert data, "Chromium does not answer"
            self._buffer += data
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def run(self, script):
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def wait(self, condition, seconds=15):
        end = time.monotonic() + seconds
        while not self.run(condition):
            assert time.monotonic() < end, f"never true: {condition}"
            time.sleep(0.05)

    def point(self, selector):
        """The middle of an element on the screen."""
        element = f"document.querySelector({json.dumps(selector)})"
        return self.run(f"(() => {{ const r = {element}.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] }})()")

    def move(self, selector):
        x, y = self.point(selector)
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click(self, selector):
        x, y = self.point(selector)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, key, text=""):
        code = {"Enter": 13, "ArrowRight": 39, "ArrowLeft": 37, "Tab": 9, " ": 32, "Home": 36, "End": 35}.get(key, 0)
        extra = {"text": text} if text else {}
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, **(extra if kind == "keyDown" else {}))

    def type(self, text):
        self.call("Input.insertText", text=text)

    def wheel(self, selector, amount):
        x, y = self.point(selector)
        self.call("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=amount)

    def screenshot(self):
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def close(self):
        self.process.terminate()
        self.process.wait(timeout=20)
        os.close(self._read)
        os.close(self._write)
