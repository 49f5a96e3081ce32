# SPDX-License-Identifier: MIT
"""
A Chromium without windows, driven by the W3C WebDriver protocol of chromedriver: no library is needed for that.  It is
the one that has none, as the whole browser takes twice the processor time in its headless mode.
"""
import base64
import http.client
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

# How many times slower the browser computes; each of its questions takes as many times 20 ms longer.
SLOWED = float(os.environ.get("HISTREE_BROWSER_SLOWED", "1"))


CHROMIUM = "chromium-headless-shell"
SCRIPT_SECONDS = 150
# What chromedriver says when a page is left while a script runs in it.
IS_LEFT = re.compile("unloaded|navigation|detached|context was destroyed|no such execution context", re.IGNORECASE)


def is_here():
    return bool(shutil.which(CHROMIUM) and shutil.which("chromedriver"))


class Browser:
    def __init__(self, width=1500, height=900):
        self.folder = tempfile.TemporaryDirectory()
        # The driver picks a port: one that was free for somebody else may be taken by now.
        said = pathlib.Path(self.folder.name) / "driver.txt"
        with said.open("w", encoding="utf-8") as file:
            self.driver = subprocess.Popen(["chromedriver", "--port=0", "--log-level=SEVERE"], stdout=file,
                                           stderr=subprocess.DEVNULL)
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port_said(said), timeout=SCRIPT_SECONDS + 30)
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-extensions",
                     "--disable-background-networking", "--no-first-run", "--enable-precise-memory-info",
                     "--js-flags=--expose-gc", f"--window-size={width},{height}", "--force-device-scale-factor=1",
                     f"--user-data-dir={self.folder.name}"]
        options = {"binary": shutil.which(CHROMIUM), "args": arguments}
        wanted = {"capabilities": {"alwaysMatch": {"browserName": "chrome-headless-shell", "goog:chromeOptions": options,
                                                   "goog:loggingPrefs": {"browser": "ALL"}}}}
        for _ in range(100):
            try:
                self.call("GET", "/status")
                break
            except OSError:
                time.sleep(0.05)
        self.session = f"/session/{self.call('POST', '/session', wanted)['sessionId']}"
        self.call("POST", f"{self.session}/timeouts", {"script": 1000 * SCRIPT_SECONDS})
        if SLOWED > 1:
            self.command("Emulation.setCPUThrottlingRate", {"rate": SLOWED})
            self.command("Network.emulateNetworkConditions", {"offline": False, "latency": 20 * SLOWED, "downloadThroughput": -1, "uploadThroughput": -1})

    def port_said(self, said):
        end = time.monotonic() + 60
        while time.monotonic() < end and self.driver.poll() is None:
            found = re.search(r"on port (\d+)\.", said.read_text(encoding="utf-8"))
            if found:
                return found[1]
            time.sleep(0.05)
        self.driver.kill()
        raise AssertionError(f"chromedriver says no port: {said.read_text(encoding='utf-8')}")

    def call(self, method, path, body=None):
        content = json.dumps(body if body is not None else {}).encode() if method == "POST" else None
        self.connection.request(method, path, content, {"Content-Type": "application/json"})
        answer = self.connection.getresponse()
        value = json.loads(answer.read())["value"]
        if answer.status != 200:
            raise RuntimeError(value["message"])
        return value

    def resize(self, width, height):
        self.call("POST", f"{self.session}/window/rect", {"width": width, "height": height})

    def open(self, url):
        self.call("POST", f"{self.session}/url", {"url": url})

    def run(self, script, *arguments):
        """The value of a script, which may `await`."""
        wrapped = ("const done = arguments[arguments.length - 1]; const given = [...arguments].slice(0, -1);"
                   f"(async (...arguments_) => {{ {script} }})(...given)"
                   ".then((value) => done({ value }), (error) => done({ error: String(error.stack ?? error) }));")
        result = self.call("POST", f"{self.session}/execute/async", {"script": wrapped, "args": list(arguments)})
        if "error" in result:
            raise RuntimeError(result["error"])
        return result.get("value")

    def until(self, script, what=None, seconds=120):
        """The value of a script, once it is true: the page asks itself, as a question from here takes longer than most waits."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                value = self.run(f"""const end = Date.now() + arguments_[0];
                    for (;;) {{
                        const value = {script};
                        if (value || Date.now() > end)
                            return value;
                        await (window.isAtRest?.() ?? new Promise((done) => setTimeout(done, 4)));
                    }}""", 1000 * min(SCRIPT_SECONDS / 2, max(end - time.monotonic(), 0)))
            except RuntimeError as error:
                if not IS_LEFT.search(str(error)):
                    raise
                continue
            if value:
                return value
        raise AssertionError(f"not within {seconds} s: {what or script}; the page said {self.log()}")

    def actions(self, *sources):
        self.call("POST", f"{self.session}/actions", {"actions": list(sources)})

    def move(self, x, y):
        self.actions(pointer({"type": "pointerMove", "x": x, "y": y, "duration": 0}))

    def click(self, x, y, key=None):
        press = [{"type": "pause"}, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        steps = [{"type": "pointerMove", "x": x, "y": y, "duration": 0}, *press]
        self.with_key(key, pointer(*steps), len(steps))

    def drag(self, x, y, to_x, to_y, key=None):
        steps = [{"type": "pointerMove", "x": x, "y": y, "duration": 0}, {"type": "pointerDown", "button": 0}]
        for i in range(1, 6):
            steps.append({"type": "pointerMove", "x": round(x + (to_x - x) * i / 5), "y": round(y + (to_y - y) * i / 5),
                          "duration": 10})
        steps.append({"type": "pointerUp", "button": 0})
        self.with_key(key, pointer(*steps), len(steps))

    def wheel(self, x, y, by, key=None):
        step = {"type": "scroll", "x": x, "y": y, "deltaX": 0, "deltaY": by, "duration": 0}
        self.with_key(key, {"type": "wheel", "id": "wheel", "actions": [{"type": "pause"}, step]}, 2)

    def with_key(self, key, source, steps):
        """Do something while a key is held."""
        if key is None:
            self.actions(source)
            return
        held = [{"type": "keyDown", "value": key}, *[{"type": "pause"}] * steps, {"type": "keyUp", "value": key}]
        source["actions"] = [{"type": "pause"}, *source["actions"]]
        self.actions({"type": "key", "id": "keys", "actions": held}, source)

    def type(self, text):
        steps = [step for key in text for step in ({"type": "keyDown", "value": key}, {"type": "keyUp", "value": key})]
        self.actions({"type": "key", "id": "keys", "actions": steps})

    def press(self, key, held):
        """A key while another one is held."""
        steps = [{"type": kind, "value": value} for kind, value in (("keyDown", held), ("keyDown", key), ("keyUp", key), ("keyUp", held))]
        self.actions({"type": "key", "id": "keys", "actions": steps})

    def command(self, name, parameters):
        """One of the DevTools protocol."""
        return self.call("POST", f"{self.session}/goog/cdp/execute", {"cmd": name, "params": parameters})

    def screenshot(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self.call("GET", f"{self.session}/screenshot")))

    def log(self):
        return [entry["message"] for entry in self.call("POST", f"{self.session}/se/log", {"type": "browser"})]

    def close(self):
        try:
            self.call("DELETE", self.session)
        finally:
            self.connection.close()
            self.driver.terminate()
            self.driver.wait()
            self.folder.cleanup()


def pointer(*steps):
    return {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": list(steps)}


SHIFT, CONTROL, ENTER, ESCAPE, TAB = "\ue008", "\ue009", "\ue007", "\ue00c", "\ue004"
UP, DOWN, LEFT, RIGHT = "\ue013", "\ue015", "\ue012", "\ue014"
