#!/bin/sh
# dagrad in a shell script: bare numbers, documents, exit codes. Run it with `sh -eu samples/ci.sh`.
set -eu
cd "$(dirname "$0")"

# A bare value for a calculation.
g=$(dagrad grad 'x^2' --at x=3 --format value)
test "$g" = 6
echo "gradient: $g"

# Name and value on a line, joined by a tab, for cut and awk.
y=$(dagrad grad 'x * exp(y)' --at x=2 --at y=0 | awk -F '\t' '$1 == "y" { print $2 }')
test "$y" = 2
echo "by y: $y"

# One JSON document, for anything that reads JSON.
dagrad run rosenbrock.dg --set n=4 --json |
    python3 -c 'import json, sys; d = json.load(sys.stdin); assert d["ok"]; print("ok after", d["values"]["step"], "steps")'

# A wrong result stops the script: a failed assert ends with 1 and says where.
status=0
message=$(dagrad run -q -c 'param x = 2' -c 'assert x^2 < 3, "x is too large"' --error-format concise 2>&1) || status=$?
test "$status" = 1
echo "caught: $message"

# So do mistakes in the program (3), on the command line (2), and endless loops (4).
for expected in 3:'y = unknown' 4:'while true { }'; do
    status=0
    dagrad run -c "${expected#*:}" --max-steps 1000 2> /dev/null || status=$?
    test "$status" = "${expected%%:*}"
done
status=0
dagrad grad 'x^2' 2> /dev/null || status=$?
test "$status" = 2
echo "exit codes: 3 4 2"
