//! Groups items.

/// Groups of equal items, in the order of each group's first item.
pub(crate) fn grouped<'a, T>(
    all: impl IntoIterator<Item = &'a T>,
    is_alike: impl Fn(&T, &T) -> bool,
) -> Vec<Vec<&'a T>> {
    let mut groups: Vec<Vec<&T>> = Vec::new();
    for each in all {
        match groups.iter_mut().find(|group| is_alike(group[0], each)) {
            Some(group) => group.push(each),
            None => groups.push(vec![each]),
        }
    }
    groups
}
