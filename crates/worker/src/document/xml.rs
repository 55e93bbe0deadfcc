//! Elements of XML with their attributes, one after the other.

use quick_xml::{Reader, XmlVersion, events::Event};

use super::Unreadable;

/// The attributes of an element, by their names without prefixes.
pub(super) struct Attributes(Vec<(String, String)>);

impl Attributes {
    /// The value of the first attribute of this name.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let named = self.0.iter().find(|(own, _)| own == name);
        named.map(|(_, value)| value.as_str())
    }

    /// Every value.
    pub(super) fn values(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(_, value)| value.as_str())
    }
}

/// Every element, by its name and attributes.
pub(super) fn each(xml: &str, mut element: impl FnMut(&str, &Attributes)) -> Result<(), Unreadable> {
    let mut reader = Reader::from_str(xml);
    reader.config_mut().check_end_names = false;
    loop {
        match reader
            .read_event()
            .map_err(|error| Unreadable::Damaged(error.to_string()))?
        {
            Event::Start(start) | Event::Empty(start) => {
                let mut attributes = start.attributes();
                let attributes = attributes.with_checks(false).filter_map(|attribute| {
                    let attribute = attribute.ok()?;
                    let value = attribute.normalized_value(XmlVersion::Implicit1_0).ok()?;
                    Some((attribute.key.local_name().as_ref().to_owned(), value.into_owned()))
                });
                element(start.local_name().as_ref(), &Attributes(attributes.collect()));
            }
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
}
