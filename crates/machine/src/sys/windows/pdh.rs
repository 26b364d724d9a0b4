//! Performance Data Helper: the counters that Performance Monitor shows.

use std::io;
use std::ptr::{null, null_mut};

use windows_sys::Win32::System::Performance::{
    PDH_CSTATUS_NEW_DATA, PDH_CSTATUS_VALID_DATA, PDH_HCOUNTER, PDH_HQUERY, PDH_MORE_DATA,
    PDH_RAW_COUNTER_ITEM_W, PdhAddEnglishCounterW, PdhCloseQuery, PdhCollectQueryData,
    PdhGetRawCounterArrayW, PdhOpenQueryW,
};

use crate::sys::performance::{
    DISK_COUNTERS, PROCESSOR_COUNTERS, RawDisk, RawInstance, RawProcessor, RawValue,
};

/// A query; closed when it is dropped.
struct Query(PDH_HQUERY);

impl Drop for Query {
    fn drop(&mut self) {
        // SAFETY: the handle is open, and closed once.
        unsafe { PdhCloseQuery(self.0) };
    }
}

/// Raw values of all disks or volumes, by the object's name, of the same moment.
///
/// # Errors
/// Windows has no such counters, or this user must not read them.
pub(crate) fn disk_performance(object: &str) -> io::Result<Vec<RawDisk>> {
    performance(object, &DISK_COUNTERS)
}

/// Raw values of all processors, of the same moment.
///
/// # Errors
/// Windows has no such counters, or this user must not read them.
pub(crate) fn processor_performance() -> io::Result<Vec<RawProcessor>> {
    performance("Processor Information", &PROCESSOR_COUNTERS)
}

/// Raw values of all instances of an object, of the same moment.
fn performance<const N: usize>(object: &str, names: &[&str; N]) -> io::Result<Vec<RawInstance<N>>> {
    let mut handle = null_mut();
    // SAFETY: no data source is named, and the place for the handle outlives the call.
    done("PdhOpenQuery", unsafe { PdhOpenQueryW(null(), 0, &raw mut handle) })?;
    let query = Query(handle);
    let counters: Vec<PDH_HCOUNTER> =
        names.iter().map(|name| add(&query, object, name)).collect::<io::Result<_>>()?;
    // SAFETY: the query is open.
    done("PdhCollectQueryData", unsafe { PdhCollectQueryData(query.0) })?;
    let mut instances: Vec<RawInstance<N>> = Vec::new();
    for (index, counter) in counters.iter().enumerate() {
        let values = raw_values(*counter)?;
        if index == 0 {
            let bare = |instance| RawInstance { instance, values: [RawValue::default(); N] };
            instances = values.iter().map(|(instance, _)| bare(instance.clone())).collect();
        }
        // An instance that came or went between two counters has not all of them.
        instances.retain_mut(|known| match values.iter().find(|(instance, _)| *instance == known.instance) {
            Some((_, value)) => {
                known.values[index] = *value;
                true
            }
            None => false,
        });
    }
    Ok(instances)
}

/// Adds a counter of all instances to a query.
fn add(query: &Query, object: &str, name: &str) -> io::Result<PDH_HCOUNTER> {
    let path = format!(r"\{object}(*)\{name}");
    let wide: Vec<u16> = path.encode_utf16().chain([0]).collect();
    let mut counter = null_mut();
    // SAFETY: the query is open; the path ends with a zero; the place for the handle outlives the call.
    let status = unsafe { PdhAddEnglishCounterW(query.0, wide.as_ptr(), 0, &raw mut counter) };
    done(&path, status)?;
    Ok(counter)
}

/// Instances and raw values of a counter.
fn raw_values(counter: PDH_HCOUNTER) -> io::Result<Vec<(String, RawValue)>> {
    let (mut bytes, mut count) = (0u32, 0u32);
    // SAFETY: without a buffer, the call writes the size that it needs.
    let status = unsafe { PdhGetRawCounterArrayW(counter, &raw mut bytes, &raw mut count, null_mut()) };
    if status != PDH_MORE_DATA {
        done("PdhGetRawCounterArray", status)?;
    }
    // The names of the instances are behind the items, in the same buffer.
    let items = (bytes as usize).div_ceil(size_of::<PDH_RAW_COUNTER_ITEM_W>());
    let mut buffer = vec![PDH_RAW_COUNTER_ITEM_W::default(); items];
    // SAFETY: the buffer is aligned for items and has at least the size that is passed.
    let status =
        unsafe { PdhGetRawCounterArrayW(counter, &raw mut bytes, &raw mut count, buffer.as_mut_ptr()) };
    done("PdhGetRawCounterArray", status)?;
    let mut values = Vec::new();
    for item in buffer.iter().take(count as usize) {
        let valid = [PDH_CSTATUS_VALID_DATA, PDH_CSTATUS_NEW_DATA];
        if valid.contains(&item.RawValue.CStatus) && !item.szName.is_null() {
            let value = RawValue { first: item.RawValue.FirstValue, second: item.RawValue.SecondValue };
            // SAFETY: the name is a text within the buffer, which lives, and ends with a zero.
            values.push((unsafe { text(item.szName) }, value));
        }
    }
    Ok(values)
}

/// A text that ends with a zero.
///
/// # Safety
/// `start` points to such a text.
unsafe fn text(start: *const u16) -> String {
    let mut length = 0;
    // SAFETY: the caller promises a zero at the end, and nothing behind it is read.
    while unsafe { *start.add(length) } != 0 {
        length += 1;
    }
    // SAFETY: as many units were read just now.
    String::from_utf16_lossy(unsafe { std::slice::from_raw_parts(start, length) })
}

fn done(what: &str, status: u32) -> io::Result<()> {
    match status {
        0 => Ok(()),
        status => Err(io::Error::other(format!("{what} returns 0x{status:08X}"))),
    }
}
