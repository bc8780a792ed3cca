//! Places in the bytes of a file: the line of a record, and a quoted cell that never ends.

/// Line numbers of a text. A line ends with LF, CRLF or CR.
pub struct Lines<'a> {
    text: &'a [u8],
    at: usize,
    line: u64,
}

impl<'a> Lines<'a> {
    pub fn new(text: &'a [u8]) -> Lines<'a> {
        Lines { text, at: 0, line: 1 }
    }

    /// The line of the record that the reader begins at this byte. The caller asks for records in their order. The
    /// reader counts the second half of a CRLF, and empty lines, to the record after them.
    pub fn line_of(&mut self, byte: u64) -> u64 {
        let start = skip_line_ends(self.text, byte);
        while self.at < start {
            let is_end = match self.text.get(self.at) {
                Some(b'\n') => true,
                Some(b'\r') => self.text.get(self.at + 1) != Some(&b'\n'),
                _ => false,
            };
            self.line += u64::from(is_end);
            self.at += 1;
        }
        self.line
    }
}

fn skip_line_ends(text: &[u8], byte: u64) -> usize {
    let start = usize::try_from(byte).unwrap_or(usize::MAX).min(text.len());
    let ends = text.iter().skip(start).take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
    start + ends
}

/// Returns whether the text ends within a quoted cell of the record that begins at this byte: the rest of the file is
/// missing, or a quote is.
pub fn ends_within_quotes(text: &[u8], byte: u64, delimiter: u8) -> bool {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        CellStart,
        Plain,
        Quoted,
        /// After a quote within quotes: the end of the cell, or half of an escaped quote.
        Quote,
    }
    let mut state = State::CellStart;
    for byte in text.iter().skip(skip_line_ends(text, byte)) {
        state = match (state, *byte) {
            (State::Quoted, b'"') => State::Quote,
            (State::Quoted, _) => State::Quoted,
            (State::CellStart | State::Quote, b'"') => State::Quoted,
            (_, byte) if byte == delimiter || matches!(byte, b'\r' | b'\n') => State::CellStart,
            _ => State::Plain,
        };
    }
    state == State::Quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_ends_with_lf_crlf_or_cr() {
        for end in ["\n", "\r\n", "\r"] {
            let text = format!("a{end}{end}b{end}c");
            let mut lines = Lines::new(text.as_bytes());
            let byte = |letter: &str| u64::try_from(text.find(letter).unwrap()).unwrap();
            let found = [lines.line_of(0), lines.line_of(1), lines.line_of(byte("b")), lines.line_of(byte("c"))];
            assert_eq!(found, [1, 3, 3, 4], "{end:?}");
        }
        assert_eq!(Lines::new(b"a\n").line_of(u64::MAX), 2);
    }

    #[test]
    fn an_open_quote_is_found() {
        let open = |text: &str| ends_within_quotes(text.as_bytes(), 0, b',');
        for text in ["\"", "a,\"b", "a,\"b\"\"", "\"a\"\"\n", "a,\"b\nc,d\n", "\r\n\"a"] {
            assert!(open(text), "{text:?}");
        }
        for text in ["", "a", "\"a\"", "\"a\"\"\"", "a\"b", "a,\"b\"\n", "5\" pipe,x\n"] {
            assert!(!open(text), "{text:?}");
        }
        assert!(!ends_within_quotes(b"\"a\nb,c", 3, b','));
        assert!(ends_within_quotes(b"a;\"b", 0, b';') && !ends_within_quotes(b"a;\"b", 0, b','));
    }
}
