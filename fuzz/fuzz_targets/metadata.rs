//! No answer of a metadata service is a panic, and one that is whole does not change with what follows it.
#![no_main]

use iobound_catalog::Cloud;
use iobound_machine::cloud::parse_answer;
use libfuzzer_sys::fuzz_target;

fn read(text: &str) {
    for service in Cloud::ALL.into_iter().filter_map(|cloud| cloud.rules().guest.metadata) {
        let of_each_path = |text: &str| vec![text.to_string(); service.paths.len()];
        let _ = (service.read)(&of_each_path(text));
        // The last answer of several is a document, the others are words.
        let mut texts = of_each_path("projects/1/machineTypes/n2-standard-8");
        texts.pop();
        texts.push(text.to_string());
        let _ = (service.read)(&texts);
    }
}

fuzz_target!(|bytes: &[u8]| {
    let whole = parse_answer(bytes, false);
    if let Ok(answer) = &whole {
        assert_eq!(parse_answer(bytes, true).as_ref(), Ok(answer));
        read(&answer.text());
    }
    read(&String::from_utf8_lossy(bytes));
});
