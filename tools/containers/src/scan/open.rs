//! Work on each part: search it, open the containers in it, report programs.
//! The list of tasks is a stack, so that parts come in the order of the input whatever their
//! nesting, and data are unpacked only when they are next.

use std::cell::Cell;
use std::rc::Rc;

use transpica::{At, Error, Kind as ErrorKind, Shbin};

use super::search::{Magic, find, magic};
use super::view::{Buffer, View};
use super::{Found, Summary};
use crate::archives::{self, Archive, Entry};
use crate::bare_lists;
use crate::bytes::Fields;
use crate::hit::{Hit, Kind};
use crate::limits::Limits;
use crate::models::{self, Region};
use crate::programs::{Analyst, digest, identity};
use crate::unpack::Packing;
use crate::vbc::Vbc;

/// Bytes that may follow compressed data that are a whole input or entry.
const PADDING: usize = 15;
/// Bytes of the first attempt to parse a DVLB. Few are longer.
const ATTEMPT: usize = 64 << 10;
/// Work of a place that turns out to be nothing, of a record of a table, and of an entry beside
/// its bytes, in bytes.
const FRUITLESS: usize = 256;
const RECORD: usize = 16;
const ENTRY: usize = 64;
/// Work of a byte of a command list, in bytes: its commands are executed.
const COMMANDS: usize = 16;
/// Largest VBC: five stages of 65,535 words, and tables.
const VBC: usize = 2 << 20;

/// Returns whether bytes begin with something that does not reach beyond them.
fn fits(magic: Magic, bytes: &[u8], most: usize) -> bool {
    let length = match magic {
        Magic::Dvlb => Shbin::parse(&bytes[..bytes.len().min(16 * ATTEMPT)]).ok().map(|_| 0),
        Magic::Archive(format) => archives::read(format, bytes, most).map(|archive| archive.length),
        Magic::Model(format) => models::read(format, bytes).map(|region| region.length),
        Magic::Vbc | Magic::Upload | Magic::Yaz0 => Some(0),
    };
    length.is_some_and(|length| length <= bytes.len())
}

/// Returns the end of the structure that is not in the bytes.
fn claimed_end(error: &Error) -> Option<u64> {
    match (&error.kind, error.at) {
        (ErrorKind::OutOfFile { start, length, .. }, _) => start.checked_add(*length),
        (ErrorKind::Truncated { need, .. }, At::Offset(start)) => need.checked_add(start.into()),
        _other_errors => None,
    }
}

/// Something that is still to be done.
pub(super) enum Task {
    /// A part from its first byte: it may be compressed or a package as a whole.
    Open(View),
    /// The rest of a part from a place on. Nothing found later begins before `floor`.
    Search { view: View, at: usize, floor: usize },
    /// Entries of an archive at a place of a part.
    Entries { view: View, at: usize, kind: Kind, entries: std::vec::IntoIter<Entry> },
}

/// State of the scan of one input.
pub(super) struct Session<'a> {
    pub limits: Limits,
    pub analyst: &'a Analyst,
    pub found: &'a mut dyn FnMut(Found<'_>),
    pub tasks: Vec<Task>,
    /// Bytes that may still be searched, unpacked or analyzed.
    pub work: u64,
    pub unpacked_left: u64,
    /// Unpacked bytes in memory.
    pub live: Rc<Cell<usize>>,
    pub summary: Summary,
    /// End of the places of the window where containers may begin.
    pub limit: usize,
    /// True if the input ends in the window.
    pub is_whole: bool,
    /// Place that the search of the window has reached.
    pub reached: usize,
    /// End of the last hit of the window.
    pub floor: usize,
    /// True if a limit ended the scan.
    pub over: bool,
}

impl Session<'_> {
    /// Does all tasks, for this window.
    pub fn run(&mut self, window: &[u8]) {
        while let Some(task) = self.tasks.pop() {
            if self.over {
                self.tasks.clear();
                return;
            }
            match task {
                Task::Open(view) => self.open(view, window),
                Task::Search { view, at, floor } => self.search(view, window, at, floor),
                Task::Entries { view, at, kind, mut entries } => {
                    let Some(Entry { name, start, end }) = entries.next() else { continue };
                    let part = view.part(kind, at, (at + start, at + end), Some(name));
                    self.tasks.push(Task::Entries { view, at, kind, entries });
                    self.enter(part);
                }
            }
        }
    }

    /// Takes work; without any left the scan is over.
    fn takes(&mut self, bytes: usize) -> bool {
        match self.work.checked_sub(bytes as u64) {
            Some(left) => self.work = left,
            None => {
                self.end("the work on this input exceeds its limit, since its parts overlap or are damaged")
            }
        }
        !self.over
    }

    fn end(&mut self, text: &str) {
        self.over = true;
        self.summary.is_cut = true;
        self.summary.warn("input".into(), format!("{text}; the rest is skipped"));
    }

    /// Adds a part that was found in a container.
    fn enter(&mut self, view: View) {
        if view.depth > self.limits.depth {
            self.summary.warn(view.place(0), "containers are nested too deep to be opened".into());
            self.summary.is_cut = true;
        } else if self.takes(view.len() + ENTRY) {
            self.tasks.push(Task::Open(view));
        }
    }

    /// Opens a part that is a file of its own.
    fn open(&mut self, view: View, window: &[u8]) {
        let bytes = view.bytes(window);
        let first = Fields::little(bytes).u32(0);
        let is_open = match first.and_then(magic) {
            None => self.open_whole(&view, bytes),
            // The first bytes of what backward LZ packs often are literals.
            Some(magic) => {
                let may_be_packed = Packing::BackwardLz.claimed(bytes).is_some();
                may_be_packed
                    && !fits(magic, bytes, self.limits.entries)
                    && self.open_packed(&view, bytes, &[Packing::BackwardLz])
            }
        };
        if is_open {
            return;
        }
        self.tasks.push(Task::Search { view, at: 0, floor: 0 });
    }

    /// Opens a part of a format that has no magic; returns whether it is of one.
    fn open_whole(&mut self, view: &View, bytes: &[u8]) -> bool {
        if self.open_packed(view, bytes, &[Packing::Lz10, Packing::Lz11]) {
            return true;
        }
        if let Some(shader) = models::gf_shader(bytes) {
            let range = (shader.start, shader.end);
            let part = view.part(Kind::GfShader, 0, range, shader.name);
            let list = &bytes[shader.start..shader.end];
            if self.takes(list.len()) && self.command_list(&part, list, 0) > 0 {
                return true;
            }
        }
        let most = self.limits.entries;
        if let Some(archive) = archives::package(bytes, most).or_else(|| models::gf_pack(bytes, most)) {
            self.archive(view, 0, archive);
            return true;
        }
        // Last, since an archive whose last entry is backward LZ ends like backward LZ, too.
        self.open_packed(view, bytes, &[Packing::BackwardLz])
    }

    /// Opens a part that is compressed as a whole; returns whether it is.
    fn open_packed(&mut self, view: &View, bytes: &[u8], packings: &[Packing]) -> bool {
        for &packing in packings {
            if let Some((inner, used)) = self.unpack(view, bytes, packing, 0)
                && bytes.len() - used <= PADDING
            {
                self.enter(inner);
                return true;
            }
        }
        false
    }

    /// Searches the rest of a part up to the first container, and leaves what follows it for later.
    fn search(&mut self, view: View, window: &[u8], at: usize, floor: usize) {
        let bytes = view.bytes(window);
        let limit = if view.is_window() { self.limit } else { bytes.len() };
        let (mut at, mut floor) = (at, floor);
        while let Some((place, magic)) = find(bytes, at, limit) {
            let tasks = self.tasks.len();
            let end = self.recognize(&view, bytes, place, magic, floor);
            let is_hit = end.is_some();
            at = end.unwrap_or(0).max(place + 4);
            if is_hit {
                floor = at.next_multiple_of(4);
            } else {
                self.takes(FRUITLESS);
            }
            if self.over {
                break;
            }
            if self.tasks.len() > tasks {
                // The rest of this part comes after what was found in it.
                self.tasks.insert(tasks, Task::Search { view, at, floor });
                return;
            }
        }
        if view.is_window() {
            // Windows begin at multiples of four.
            self.reached = (at & !3).max(limit).min(bytes.len());
            self.floor = floor;
        }
    }

    /// Recognizes what begins at a place, and returns its end.
    fn recognize(
        &mut self,
        view: &View,
        bytes: &[u8],
        at: usize,
        magic: Magic,
        floor: usize,
    ) -> Option<usize> {
        let rest = &bytes[at..];
        match magic {
            Magic::Dvlb => self.dvlb(view, bytes, at),
            Magic::Vbc => self.vbc(view, bytes, at),
            Magic::Upload => self.commands(view, bytes, at, floor),
            Magic::Yaz0 => {
                let (inner, used) = self.unpack(view, rest, Packing::Yaz0, at)?;
                self.enter(inner);
                Some(at + used)
            }
            Magic::Archive(format) => {
                let archive = archives::read(format, rest, self.limits.entries)?;
                self.archive(view, at, archive)
            }
            Magic::Model(format) => {
                if !self.takes(models::cost(format, rest)) {
                    return None;
                }
                self.region(view, at, rest.len(), models::read(format, rest)?)
            }
        }
    }

    /// Returns whether a container of this length ends after the window. Its programs are found
    /// one by one then.
    fn is_cut_off(&mut self, view: &View, at: usize, length: usize, kind: Kind) -> bool {
        let is_cut = length > view.len() - at;
        if is_cut && view.is_window() && !self.is_whole {
            let text =
                format!("{} of {length} bytes is too large, and searched without its names", kind.name());
            self.summary.warn(view.place(at), text);
            return true;
        }
        if is_cut {
            self.summary.warn(view.place(at), format!("{} is cut off", kind.name()));
        }
        false
    }

    fn archive(&mut self, view: &View, at: usize, archive: Archive) -> Option<usize> {
        let Archive { kind, length, entries, left_out } = archive;
        if !self.takes(RECORD * (entries.len() + left_out)) {
            return None;
        }
        if self.is_cut_off(view, at, length, kind) {
            return None;
        }
        if left_out > 0 {
            let text = format!("{left_out} entries of {} are outside it or too many", kind.name());
            self.summary.warn(view.place(at), text);
        }
        self.tasks.push(Task::Entries { view: view.clone(), at, kind, entries: entries.into_iter() });
        Some(at + length.min(view.len() - at))
    }

    fn region(&mut self, view: &View, at: usize, rest: usize, region: Region) -> Option<usize> {
        let Region { kind, length, notes } = region;
        if self.is_cut_off(view, at, length, kind) {
            return None;
        }
        let end = at + length.min(rest);
        let mut part = view.part(kind, at, (at, end), None);
        part.notes = Some(Rc::new(notes));
        if part.depth > self.limits.depth {
            self.enter(part);
        } else if self.takes(part.len()) {
            // After its own magic, or it would be found again.
            self.tasks.push(Task::Search { view: part, at: 4, floor: 4 });
        }
        Some(end)
    }

    /// Unpacks data; returns the view of the result and the length of the data.
    fn unpack(&mut self, view: &View, bytes: &[u8], packing: Packing, at: usize) -> Option<(View, usize)> {
        let claimed = packing.claimed(bytes)?;
        let free = self.limits.unpacked.saturating_sub(self.live.get());
        let most = (free as u64).min(self.unpacked_left).min(self.work);
        if claimed > most {
            // Without a magic these may be any bytes.
            if packing == Packing::Yaz0 {
                let text = format!("Yaz0 of {claimed} bytes exceeds the limit of unpacked bytes");
                self.summary.warn(view.place(at), text);
            }
            return None;
        }
        let mut out = Vec::new();
        let result = packing.unpack_to(bytes, usize::try_from(most).ok()?, &mut out);
        // What was unpacked in vain was work, too. It is at most what is left of all three limits.
        self.unpacked_left -= out.len() as u64;
        let is_allowed = self.takes(out.len());
        match result {
            Ok(used) if is_allowed => {
                let buffer = Buffer::new(out, &self.live);
                Some((view.unpacked(Kind::Packed(packing), at, buffer), used))
            }
            Err(fault) if packing == Packing::Yaz0 => {
                self.summary.warn(view.place(at), format!("Yaz0: {fault}"));
                None
            }
            Ok(_) | Err(_) => None,
        }
    }

    /// Reports a DVLB.
    fn dvlb(&mut self, view: &View, bytes: &[u8], at: usize) -> Option<usize> {
        let rest = &bytes[at..];
        let count = Fields::little(rest).size(4)?;
        let package = count.checked_mul(4)?.checked_add(8)?;
        if !Fields::little(rest).has(package, b"DVLP") {
            return None;
        }
        let rest = &rest[..rest.len().min(self.limits.look_ahead)];
        let file = self.parse(view, rest, at)?;
        let end = usize::try_from(file.length).ok()?;
        // Writers end the last table of names with zeros up to a multiple of four.
        let padding =
            rest.get(end..end.next_multiple_of(4)).filter(|bytes| bytes.iter().all(|&byte| byte == 0));
        let length = end + padding.map_or(0, <[u8]>::len);
        if !self.takes(length) {
            return None;
        }
        let analyst = self.analyst;
        let (programs, warnings) = analyst.file(&file, |bytes| self.takes(bytes));
        let hit = Hit { programs, warnings, ..self.hit(view, Kind::Dvlb, at, &rest[..length]) };
        self.report(hit, &rest[..length], None);
        Some(at + length)
    }

    /// Parses the DVLB that bytes begin with. Work on a damaged one may follow from the length of
    /// the bytes, so that first few are tried, and more if the file claims them.
    fn parse<'b>(&mut self, view: &View, rest: &'b [u8], at: usize) -> Option<Shbin<'b>> {
        let mut length = rest.len().min(ATTEMPT);
        loop {
            let error = match Shbin::parse(&rest[..length]) {
                Ok(file) => return Some(file),
                Err(error) => error,
            };
            if !self.takes(length / 4) {
                return None;
            }
            let end = claimed_end(&error).and_then(|end| usize::try_from(end).ok());
            match end.filter(|&end| length < end && end <= rest.len()) {
                Some(end) => length = end.max(4 * length).min(rest.len()),
                None => {
                    self.summary.warn(view.place(at), format!("a DVLB that cannot be read: {error}"));
                    return None;
                }
            }
        }
    }

    /// Reports Vega ByteCode.
    fn vbc(&mut self, view: &View, bytes: &[u8], at: usize) -> Option<usize> {
        let rest = &bytes[at..];
        let rest = &rest[..rest.len().min(VBC)];
        let Ok((file, length)) = Vbc::read_start(rest) else {
            self.takes(rest.len());
            return None;
        };
        let content = &rest[..length];
        if !self.takes(length) {
            return None;
        }
        let hit = Hit { programs: file.programs(), ..self.hit(view, Kind::Vbc, at, content) };
        self.report(hit, content, None);
        Some(at + length)
    }

    /// Reports the programs of the command list around an upload.
    fn commands(&mut self, view: &View, bytes: &[u8], at: usize, floor: usize) -> Option<usize> {
        let list = bare_lists::list(bytes, at, floor)?;
        if !self.takes(COMMANDS * list.len() + bare_lists::BEHIND) {
            return None;
        }
        let hits = self.command_list(view, &bytes[list.clone()], list.start);
        (hits > 0).then_some(list.end)
    }

    /// Reports the programs of a command list that begins at a place; returns their number.
    fn command_list(&mut self, view: &View, list: &[u8], at: usize) -> usize {
        let uploads = bare_lists::uploads(list);
        let mut hits = 0;
        for upload in uploads {
            let content = &list[upload.range.clone()];
            let state = &upload.state;
            let programs = upload.stages.iter().filter_map(|&stage| self.analyst.unit(state, stage));
            let programs: Vec<_> = programs.collect();
            let mut warnings = Vec::new();
            if state.slots() == 0 {
                warnings.push("the list does not set the output map".to_string());
            }
            let place = at + upload.range.start;
            let hit = Hit { programs, warnings, ..self.hit(view, Kind::Commands, place, content) };
            self.report(hit, content, Some(state));
            hits += 1;
        }
        hits
    }

    /// Describes the place of a hit.
    fn hit(&self, view: &View, kind: Kind, at: usize, content: &[u8]) -> Hit {
        let note = view.notes.as_ref().and_then(|notes| notes.get(&at));
        let containers = view.steps();
        let entry = containers.iter().rev().find_map(|step| step.entry.clone());
        let digest = digest(content);
        Hit {
            containers,
            kind,
            offset: view.offset(at),
            input_offset: view.input_offset(at),
            length: content.len() as u64,
            name: note.and_then(|note| note.name.clone()).or(entry),
            programs: Vec::new(),
            pairs: note.map_or_else(Vec::new, |note| note.pairs.clone()),
            digest,
            identity: digest,
            warnings: Vec::new(),
        }
    }

    fn report(&mut self, hit: Hit, bytes: &[u8], state: Option<&transpica::RegisterState>) {
        let hit = Hit { identity: identity(&hit.programs, hit.digest), ..hit };
        (self.found)(Found { hit, bytes, state });
        self.summary.hits += 1;
        if self.summary.hits >= self.limits.hits {
            self.end("there are more programs than the limit");
        }
    }
}
