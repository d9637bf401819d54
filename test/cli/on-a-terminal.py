"""Runs a command on a pseudo terminal and types into it. The order comes as JSON on stdin:
{args, cwd, env, columns, rows, keys: [[text to wait for, text to type], ...]}; the answer is
{exit, screen}."""

import fcntl
import json
import os
import pty
import select
import struct
import sys
import termios
import time

order = json.load(sys.stdin)
pid, terminal = pty.fork()
if pid == 0:
    os.chdir(order["cwd"])
    # the size has to be there before the command looks
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", order["rows"], order["columns"], 0, 0))
    os.execvpe(order["args"][0], order["args"], order["env"])

screen = b""
read_to = 0
keys = [(wait.encode(), typed.encode()) for wait, typed in order["keys"]]
end = time.monotonic() + order["timeoutSeconds"]
while time.monotonic() < end:
    ready, _, _ = select.select([terminal], [], [], 0.05)
    if ready:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # Linux says so when the other side has closed
            break
        if not piece:
            break
        screen += piece
    if keys and keys[0][0] in screen[read_to:]:
        read_to = len(screen)
        os.write(terminal, keys.pop(0)[1])
else:
    os.kill(pid, 9)

_, status = os.waitpid(pid, 0)
json.dump({"exit": os.waitstatus_to_exitcode(status), "screen": screen.decode()}, sys.stdout)
