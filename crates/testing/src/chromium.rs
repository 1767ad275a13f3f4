//! A headless Chromium driven through its DevTools protocol: JSON messages, each ended by a zero byte, over a pair of pipes.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};
use tempfile::TempDir;

/// Program names on Debian and other distributions.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// The time limit for a page to draw itself.
const READY_MS: u64 = 60_000;

/// What a page must not do.
#[derive(Debug, Default)]
pub struct Complaints {
    /// Errors and warnings on the console, and exceptions.
    pub console: Vec<String>,
    /// Requested addresses, apart from the page itself and its embedded data.
    pub requests: Vec<String>,
}

/// A running browser.
struct Process {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    last_id: u64,
}

/// Browsers without a page. Starting one takes longer than drawing a page, so the next page reuses one.
static IDLE: Mutex<Vec<Process>> = Mutex::new(Vec::new());

impl Process {
    /// An idle browser, or a new one.
    fn take() -> Self {
        let idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.unwrap_or_else(Self::start)
    }

    /// Starts a browser that ends with this process.
    fn start() -> Self {
        let profile = tempfile::tempdir().unwrap().keep();
        // The shell connects the pipes as Chromium expects them: requests on descriptor 3, answers on 4. Chromium ends when its pipe is
        // closed, and then the shell removes the profile.
        let mut child = Command::new("sh")
            .args(["-c", "profile=$0; \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1; rm -rf -- \"$profile\""])
            .arg(&profile)
            .arg(program())
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
            .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
            .args(["--disable-dev-shm-usage", "--remote-debugging-pipe", "--hide-scrollbars"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, input, output, last_id: 0 }
    }

    /// Sends a call, to a page if there is a session. Returns the identifier that the answer will have.
    fn send(&mut self, session: Option<&str>, method: &str, parameters: &Value) -> u64 {
        self.last_id += 1;
        let mut message = json!({ "id": self.last_id, "method": method, "params": parameters });
        if let Some(session) = session {
            message["sessionId"] = json!(session);
        }
        self.input.write_all(format!("{message}\0").as_bytes()).unwrap();
        self.last_id
    }

    /// The next answer or event.
    fn receive(&mut self) -> Value {
        let mut bytes = Vec::new();
        self.output.read_until(0, &mut bytes).unwrap();
        assert_eq!(bytes.pop(), Some(0), "the browser has gone");
        serde_json::from_slice(&bytes).unwrap()
    }

    /// Calls the browser itself and ignores events until the answer.
    fn call(&mut self, method: &str, parameters: &Value) -> Value {
        let id = self.send(None, method, parameters);
        loop {
            let answer = self.receive();
            if answer["id"] == id {
                return result_of(method, &answer);
            }
        }
    }

    /// Closes the browser and waits until it has ended.
    fn close(mut self) {
        drop(self.input);
        let _ = self.child.wait();
    }
}

/// The result of a call.
fn result_of(method: &str, answer: &Value) -> Value {
    assert!(answer.get("error").is_none(), "{method}: {answer}");
    answer["result"].clone()
}

/// A browser with one page, which shares no storage, permissions or settings with earlier pages.
pub struct Browser {
    /// Absent only after it is dropped.
    process: Option<Process>,
    context: Value,
    session: String,
    complaints: Complaints,
    downloads: TempDir,
}

impl Browser {
    /// A page of this size in pixels.
    pub fn start(width: u32, height: u32) -> Self {
        let mut process = Process::take();
        let context = process.call("Target.createBrowserContext", &json!({}))["browserContextId"].clone();
        let page = json!({ "url": "about:blank", "browserContextId": context, "width": width, "height": height });
        let target = process.call("Target.createTarget", &page)["targetId"].clone();
        let attach = json!({ "targetId": target, "flatten": true });
        let session = process.call("Target.attachToTarget", &attach)["sessionId"].as_str().unwrap().to_owned();
        let (complaints, downloads) = (Complaints::default(), tempfile::tempdir().unwrap());
        let mut browser = Self { process: Some(process), context, session, complaints, downloads };
        for domain in ["Page", "Runtime", "Network", "Log"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600 });
        browser.call("Emulation.setDeviceMetricsOverride", size);
        browser
    }

    fn process(&mut self) -> &mut Process {
        self.process.as_mut().unwrap()
    }

    /// Opens a file and waits until the page reports that it is ready. `choice` is the part of the address behind `#`.
    pub fn open(&mut self, file: &Path, choice: &str) {
        self.call("Page.navigate", json!({ "url": "about:blank" }));
        let url = format!("file://{}{choice}", file.display());
        let answer = self.call("Page.navigate", json!({ "url": url }));
        assert!(answer.get("errorText").is_none(), "{answer}");
        self.wait_for("document.documentElement?.dataset.ready");
    }

    /// Opens an address and waits until an expression is true there.
    pub fn go(&mut self, address: &str, ready: &str) {
        let answer = self.call("Page.navigate", json!({ "url": address }));
        assert!(answer.get("errorText").is_none(), "{answer}");
        self.wait_for(ready);
    }

    /// Waits until an expression is true.
    pub fn wait_for(&mut self, ready: &str) {
        self.value(&format!(
            "new Promise((done, failed) => {{ const end = Date.now() + {READY_MS}; const look = () => \
             ({ready}) ? done(true) : Date.now() > end ? failed('not ready') : setTimeout(look, 20); \
             look(); }})"
        ));
    }

    /// The value of an expression in the page, which may be a promise. Waits until the page has drawn earlier choices.
    pub fn value(&mut self, expression: &str) -> Value {
        self.evaluate(
            "new Promise((done) => { const look = () => \
             document.documentElement?.dataset.drawing === undefined ? done() : setTimeout(look, 5); look(); })",
        );
        self.evaluate(expression)
    }

    fn evaluate(&mut self, expression: &str) -> Value {
        let ask = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true, "userGesture": true });
        let answer = self.call("Runtime.evaluate", ask);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer:#}");
        answer["result"].get("value").cloned().unwrap_or(Value::Null)
    }

    /// The same as a string.
    pub fn text(&mut self, expression: &str) -> String {
        self.value(expression).as_str().unwrap_or_else(|| panic!("{expression} is not a string")).to_owned()
    }

    /// Presses a key.
    pub fn press(&mut self, key: &str) {
        let code = match key {
            "Tab" => 9,
            "Enter" => 13,
            "Escape" => 27,
            "End" => 35,
            "Home" => 36,
            "ArrowLeft" => 37,
            "ArrowUp" => 38,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            _ => panic!("no code for {key}"),
        };
        let text = if key == "Enter" { "\r" } else { "" };
        for kind in ["keyDown", "keyUp"] {
            let event = json!({ "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code, "text": text });
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// A call without its own helper.
    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        let session = self.session.clone();
        let id = self.process().send(Some(&session), method, &parameters);
        loop {
            let answer = self.process().receive();
            if answer["id"] == id {
                return result_of(method, &answer);
            }
            if answer["sessionId"] == session {
                self.note(&answer);
            }
        }
    }

    /// The page's complaints so far.
    pub fn complaints(&mut self) -> &Complaints {
        // An answer comes after all earlier events.
        self.value("0");
        &self.complaints
    }

    fn note(&mut self, event: &Value) {
        let parameters = &event["params"];
        match event["method"].as_str().unwrap_or_default() {
            "Runtime.exceptionThrown" => self.complaints.console.push(parameters["exceptionDetails"].to_string()),
            "Runtime.consoleAPICalled" => self.complaints.console.push(parameters["args"].to_string()),
            "Log.entryAdded" => self.complaints.console.push(parameters["entry"].to_string()),
            "Network.requestWillBeSent" => {
                let url = parameters["request"]["url"].as_str().unwrap_or_default();
                if !["file:", "data:", "blob:", "about:"].iter().any(|own| url.starts_with(own)) {
                    self.complaints.requests.push(url.to_owned());
                }
            }
            _ => {}
        }
    }

    /// A directory for downloads.
    pub fn downloads(&mut self) -> PathBuf {
        let directory = self.downloads.path().to_owned();
        let context = self.context.clone();
        let allow = json!({ "behavior": "allow", "downloadPath": directory, "browserContextId": context });
        self.process().call("Browser.setDownloadBehavior", &allow);
        directory
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let Some(mut process) = self.process.take() else { return };
        // After a failure its state is unknown.
        if std::thread::panicking() {
            return process.close();
        }
        process.call("Target.disposeBrowserContext", &json!({ "browserContextId": self.context }));
        IDLE.lock().unwrap_or_else(PoisonError::into_inner).push(process);
    }
}

/// The browser's program: `CHROMIUM`, or the first one found in `PATH`.
fn program() -> PathBuf {
    find().expect("Chromium: apt-get install chromium, or set CHROMIUM to its program")
}

/// Whether there is a browser.
pub fn is_there() -> bool {
    find().is_some()
}

fn find() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("CHROMIUM") {
        return Some(named.into());
    }
    let path = std::env::var_os("PATH")?;
    let mut places = std::env::split_paths(&path).flat_map(|place| NAMES.map(|name| place.join(name)));
    places.find(|file| file.exists())
}
