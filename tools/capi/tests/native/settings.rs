//! Settings through the functions of the C interface: every path of the table, and hostile texts.
#![expect(unsafe_code, reason = "callers in C hand in pointers")]

use std::ffi::{CStr, CString};
use std::ptr::{null, null_mut};

use transpica_capi::*;
use transpica_settings::Settings;
use transpica_settings::table::ROWS;
use transpica_settings::tree::is_below;

/// Settings of the C interface.
struct Owned(*mut TranspicaSettings);

impl Default for Owned {
    fn default() -> Self {
        Self(transpica_settings_new())
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: they are no longer used.
        unsafe { transpica_settings_free(self.0) }
    }
}

impl Owned {
    /// Sets a path; the message if that fails.
    fn set(&self, path: &CStr, value: &CStr) -> Result<(), String> {
        let mut errors = null_mut();
        // SAFETY: settings of one thread, texts that end with a zero, a place.
        unsafe {
            let status = transpica_settings_set(self.0, path.as_ptr(), value.as_ptr(), &mut errors);
            assert_eq!(status == TranspicaStatus::Ok, errors.is_null());
            if status == TranspicaStatus::Ok {
                return Ok(());
            }
            assert_eq!(status, TranspicaStatus::BadArgument);
            let head = TranspicaHead { r#type: 33, size: size_of::<TranspicaMessage>() as u32, next: null() };
            let mut message: TranspicaMessage = std::mem::zeroed();
            message.head = head;
            assert_eq!(transpica_result_error(errors, 0, &mut message), TranspicaStatus::Ok);
            let text = CStr::from_ptr(message.text).to_string_lossy().into_owned();
            transpica_result_free(errors);
            Err(text)
        }
    }

    /// Returns the text of a path, if there is one.
    fn get(&self, path: &str) -> Option<String> {
        let path = CString::new(path).expect("no zero");
        // SAFETY: settings of one thread, a text that ends with a zero.
        let text = unsafe { transpica_settings_get(self.0, path.as_ptr(), null_mut()) };
        // SAFETY: it lives until the next call.
        (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_str().expect("UTF-8").to_owned())
    }
}

fn owned(text: &str) -> CString {
    CString::new(text).expect("no zero")
}

#[test]
fn every_path_of_the_table_is_set_and_read_back() {
    for row in ROWS {
        let path = row.path();
        for value in row.values() {
            let (settings, again, mut expected) = (Owned::default(), Owned::default(), Settings::default());
            settings.set(&owned(path), &owned(value)).unwrap_or_else(|error| panic!("{path}: {error}"));
            expected.set(path, value).expect("a value of the table");
            let shown = settings.get(path).expect("a path of the table");
            again.set(&owned(path), &owned(&shown)).unwrap_or_else(|error| panic!("{path}: {error}"));
            for field in row.fields.iter().filter(|field| !is_below(field, path)) {
                let elsewhere = field.trim_end_matches(".*");
                let shown = settings.get(elsewhere).expect("a path of the table");
                again.set(&owned(elsewhere), &owned(&shown)).expect("its own value");
            }
            let mut seen = 0;
            for field in row.fields {
                let field = field.replace('*', "1");
                let shown = settings.get(&field).or_else(|| settings.get(&field.replace('1', "0")));
                assert_eq!(
                    shown,
                    again.get(&field).or_else(|| again.get(&field.replace('1', "0"))),
                    "{field}"
                );
                if let Ok(value) = expected.get(&field) {
                    assert_eq!(shown.as_deref(), Some(value.as_str()), "{field}");
                    // Each field alone, too.
                    settings.set(&owned(&field), &owned(&value)).expect("its own value");
                    seen += 1;
                }
            }
            assert!(seen > 0 || row.fields.iter().any(|field| field.contains('*')), "{path}");
        }
        // The nearest path is named.
        let (parent, last) =
            path.rsplit_once('.').map_or((String::new(), path), |(a, b)| (format!("{a}."), b));
        let error =
            Owned::default().set(&owned(&format!("{parent}{last}x")), c"1").expect_err("no such path");
        assert!(error.contains(&format!("did you mean `{last}`?")), "{error}");
    }
}

#[test]
fn hostile_texts_are_errors() {
    let settings = Owned::default();
    let [long, deep] = ["x".repeat(1 << 20), "[".repeat(60_000)].map(|text| owned(&text));
    for (path, value) in [
        (c"\xFF", c"1"),
        (c"names", c"\xC3"),
        (&*long, c"1"),
        (c"names", &*long),
        (c"varyings", &*deep),
        (c"limits.depth", c"1e999"),
        (c"limits.depth", c"4294967296"),
        (c"", c""),
        (c"...", c"1"),
        (c"input.formats.18446744073709551616", c"1"),
    ] {
        let error = settings.set(path, value).expect_err("hostile");
        assert!((1..1000).contains(&error.len()), "{} bytes", error.len());
    }
    // SAFETY: NULL is an error.
    unsafe {
        assert_eq!(
            transpica_settings_set(null_mut(), null(), null(), null_mut()),
            TranspicaStatus::BadArgument
        );
        assert!(transpica_settings_get(null_mut(), null(), null_mut()).is_null());
    }
    let long: Vec<String> = (0..2000).map(|n| format!("v{}=float:2", n % 16)).collect();
    assert_eq!(settings.set(c"input.formats", &owned(&long.join(","))), Ok(()));
}
