//! Lists, options, results and tuples; and macros for records, variants, enums and flags.

use super::{
    FlatValues, Guest, Layout, Lift, Lower, Memory, MemoryItem, Reader, Type, Value, ValueError,
    check, reallocate,
};

impl<T: Value> Value for [T] {
    const TYPE: &'static Type = &Type::List(T::TYPE);
    const LAYOUT: Layout = Layout::SLICE;
}

/// Writes a list to newly allocated memory. Returns its address and length.
fn allocate<G: Guest, T: Lower>(guest: &mut G, items: &[T]) -> Result<(u32, u32), G::Error> {
    let bytes = items.len() as u64 * u64::from(T::LAYOUT.bytes);
    let bytes = u32::try_from(bytes).map_err(|_| ValueError::TooLong(bytes))?;
    let address = reallocate(guest, (0, 0), T::LAYOUT.align, bytes)?;
    T::store_all(items, guest, address)?;
    Ok((address, items.len() as u32))
}

impl<T: Lower> Lower for [T] {
    fn store<G: Guest>(&self, guest: &mut G, address: u32) -> Result<(), G::Error> {
        allocate(guest, self)?.store(guest, address)
    }

    fn flatten<G: Guest>(&self, guest: &mut G, flat: &mut FlatValues) -> Result<(), G::Error> {
        allocate(guest, self)?.flatten(guest, flat)
    }
}

impl<T: Value> Value for Vec<T> {
    const TYPE: &'static Type = <[T]>::TYPE;
    const LAYOUT: Layout = <[T]>::LAYOUT;
}

impl<T: Lower> Lower for Vec<T> {
    fn store<G: Guest>(&self, guest: &mut G, address: u32) -> Result<(), G::Error> {
        self.as_slice().store(guest, address)
    }

    fn flatten<G: Guest>(&self, guest: &mut G, flat: &mut FlatValues) -> Result<(), G::Error> {
        self.as_slice().flatten(guest, flat)
    }
}

/// Reads a list of this length.
fn read<T: Lift, M: Memory>(
    reader: &mut Reader<'_, M>,
    address: u32,
    count: u32,
) -> Result<Vec<T>, ValueError> {
    let bytes = u64::from(count) * u64::from(T::LAYOUT.bytes);
    check(MemoryItem::List, &reader.memory, address, bytes, 1)?;
    reader.count_bytes(u64::from(count) * size_of::<T>() as u64)?;
    check(MemoryItem::List, &reader.memory, address, bytes, T::LAYOUT.align)?;
    T::load_all(reader, address, count)
}

impl<T: Lift> Lift for Vec<T> {
    fn load<M: Memory>(reader: &mut Reader<'_, M>, address: u32) -> Result<Self, ValueError> {
        let (items, count) = Lift::load(reader, address)?;
        read(reader, items, count)
    }

    fn unflatten<M: Memory>(reader: &mut Reader<'_, M>) -> Result<Self, ValueError> {
        let (items, count) = Lift::unflatten(reader)?;
        read(reader, items, count)
    }
}

/// Implements tuples with these members.
macro_rules! tuple {
    ($($member:ident),*) => {
        impl<$($member: Value),*> Value for ($($member,)*) {
            const TYPE: &'static Type = &Type::Tuple(&[$($member::TYPE),*]);
            const LAYOUT: Layout = Layout::EMPTY$(.then($member::LAYOUT))*.padded();
        }

        #[allow(non_snake_case, unused_variables)]
        impl<$($member: Lower),*> Lower for ($($member,)*) {
            fn store<G: Guest>(&self, guest: &mut G, address: u32) -> Result<(), G::Error> {
                let ($($member,)*) = self;
                let layout = Layout::EMPTY;
                $(
                    $member.store(guest, address.wrapping_add(layout.offset_of($member::LAYOUT)))?;
                    let layout = layout.then($member::LAYOUT);
                )*
                Ok(())
            }

            fn flatten<G: Guest>(
                &self,
                guest: &mut G,
                flat: &mut FlatValues,
            ) -> Result<(), G::Error> {
                let ($($member,)*) = self;
                $($member.flatten(guest, flat)?;)*
                Ok(())
            }
        }

        #[allow(non_snake_case, unused_variables)]
        impl<$($member: Lift),*> Lift for ($($member,)*) {
            fn load<M: Memory>(reader: &mut Reader<'_, M>, address: u32) -> Result<Self, ValueError> {
                let layout = Layout::EMPTY;
                $(
                    let at = address.wrapping_add(layout.offset_of($member::LAYOUT));
                    let layout = layout.then($member::LAYOUT);
                    let $member = $member::load(reader, at)?;
                )*
                Ok(($($member,)*))
            }

            fn unflatten<M: Memory>(reader: &mut Reader<'_, M>) -> Result<Self, ValueError> {
                Ok(($($member::unflatten(reader)?,)*))
            }
        }
    };
}

tuple!(A);
tuple!(A, B);
tuple!(A, B, C);
tuple!(A, B, C, D);

impl Value for () {
    const TYPE: &'static Type = &Type::Unit;
    const LAYOUT: Layout = Layout::EMPTY;
}

impl Lower for () {
    fn store<G: Guest>(&self, _: &mut G, _: u32) -> Result<(), G::Error> {
        Ok(())
    }

    fn flatten<G: Guest>(&self, _: &mut G, _: &mut FlatValues) -> Result<(), G::Error> {
        Ok(())
    }
}

impl Lift for () {
    fn load<M: Memory>(_: &mut Reader<'_, M>, _: u32) -> Result<Self, ValueError> {
        Ok(())
    }

    fn unflatten<M: Memory>(_: &mut Reader<'_, M>) -> Result<Self, ValueError> {
        Ok(())
    }
}

/// Implements a record: a struct with fields of the same names, in the order of the interface.
macro_rules! record {
    ($record:ident { $($field:ident: $of:ty),* $(,)? }) => {
        impl Value for $record {
            const TYPE: &'static Type =
                &Type::Record(&[$((stringify!($field), <$of as Value>::TYPE)),*]);
            const LAYOUT: Layout = Layout::EMPTY$(.then(<$of as Value>::LAYOUT))*.padded();
        }

        #[allow(unused_variables)]
        impl Lower for $record {
            fn store<G: Guest>(&self, guest: &mut G, address: u32) -> Result<(), G::Error> {
                let layout = Layout::EMPTY;
                $(
                    let at = address.wrapping_add(layout.offset_of(<$of as Value>::LAYOUT));
                    let layout = layout.then(<$of as Value>::LAYOUT);
                    self.$field.store(guest, at)?;
                )*
                Ok(())
            }

            fn flatten<G: Guest>(
                &self,
                guest: &mut G,
                flat: &mut FlatValues,
            ) -> Result<(), G::Error> {
                $(self.$field.flatten(guest, flat)?;)*
                Ok(())
            }
        }

        #[allow(unused_variables)]
        impl Lift for $record {
            fn load<M: Memory>(reader: &mut Reader<'_, M>, address: u32) -> Result<Self, ValueError> {
                let layout = Layout::EMPTY;
                $(
                    let at = address.wrapping_add(layout.offset_of(<$of as Value>::LAYOUT));
                    let layout = layout.then(<$of as Value>::LAYOUT);
                    let $field = <$of as Lift>::load(reader, at)?;
                )*
                Ok(Self { $($field),* })
            }

            fn unflatten<M: Memory>(reader: &mut Reader<'_, M>) -> Result<Self, ValueError> {
                Ok(Self { $($field: <$of as Lift>::unflatten(reader)?),* })
            }
        }
    };
}

/// The offset of the payload in a variant whose payloads have this layout together.
pub(crate) const fn payload_offset(payloads: Layout) -> u32 {
    Layout::scalar(1).offset_of(payloads)
}

/// Implements a variant. For each case: its index, its name, the type of its payload, the payload
/// as a pattern of fields, and the value that has these fields.
macro_rules! variant {
    ($variant:ident {
        $($case:literal $name:literal: $of:ty = $payload:tt => [$($value:tt)+]),* $(,)?
    }) => {
        const _: () = {
            const PAYLOADS: Layout = Layout::EMPTY$(.or(<$of as Value>::LAYOUT))*;
            const OFFSET: u32 = payload_offset(PAYLOADS);

            impl Value for $variant {
                const TYPE: &'static Type =
                    &Type::Variant(&[$(($name, <$of as Value>::TYPE)),*]);
                const LAYOUT: Layout = Layout::of_cases(PAYLOADS);
            }

            impl Lower for $variant {
                fn store<G: Guest>(&self, guest: &mut G, address: u32) -> Result<(), G::Error> {
                    match self {
                        $($($value)+ => {
                            let case: u8 = $case;
                            case.store(guest, address)?;
                            Lower::store(&$payload, guest, address.wrapping_add(OFFSET))
                        })*
                    }
                }

                fn flatten<G: Guest>(
                    &self,
                    guest: &mut G,
                    flat: &mut FlatValues,
                ) -> Result<(), G::Error> {
                    let end = flat.count() + 1 + PAYLOADS.flat;
                    match self {
                        $($($value)+ => {
                            flat.push($case);
                            Lower::flatten(&$payload, guest, flat)?;
                        })*
                    }
                    flat.pad(end);
                    Ok(())
                }
            }

            impl Lift for $variant {
                fn load<M: Memory>(reader: &mut Reader<'_, M>, address: u32) -> Result<Self, ValueError> {
                    let case = u8::load(reader, address)?;
                    match case {
                        $($case => {
                            let $payload =
                                <$of as Lift>::load(reader, address.wrapping_add(OFFSET))?;
                            Ok($($value)+)
                        })*
                        _ => Err(ValueError::InvalidCase(case.into())),
                    }
                }

                fn unflatten<M: Memory>(reader: &mut Reader<'_, M>) -> Result<Self, ValueError> {
                    let case = u32::unflatten(reader)?;
                    let left = reader.flat_left().saturating_sub(PAYLOADS.flat);
                    let value = match case {
                        $($case => {
                            let $payload = <$of as Lift>::unflatten(reader)?;
                            $($value)+
                        })*
                        _ => return Err(ValueError::InvalidCase(case)),
                    };
                    reader.skip_flat(left);
                    Ok(value)
                }
            }
        };
    };
}

/// Implements an enum: for each case its index, its name and the value.
macro_rules! enumeration {
    ($enumeration:ident { $($case:literal $name:literal $value:ident),* $(,)? }) => {
        const _: () = {
            const NAMES: &[&str] = &[$($name),*];

            impl Value for $enumeration {
                const TYPE: &'static Type = &Type::Enum(NAMES);
                const LAYOUT: Layout = Layout::of_cases(Layout::EMPTY);
            }

            impl Lower for $enumeration {
                fn store<G: Guest>(&self, guest: &mut G, address: u32) -> Result<(), G::Error> {
                    let case: u8 = match self { $(Self::$value => $case),* };
                    case.store(guest, address)
                }

                fn flatten<G: Guest>(
                    &self,
                    _: &mut G,
                    flat: &mut FlatValues,
                ) -> Result<(), G::Error> {
                    flat.push(match self { $(Self::$value => $case),* });
                    Ok(())
                }
            }

            impl Lift for $enumeration {
                fn load<M: Memory>(reader: &mut Reader<'_, M>, address: u32) -> Result<Self, ValueError> {
                    match u8::load(reader, address)? {
                        $($case => Ok(Self::$value),)*
                        case => Err(ValueError::InvalidCase(case.into())),
                    }
                }

                fn unflatten<M: Memory>(reader: &mut Reader<'_, M>) -> Result<Self, ValueError> {
                    match u32::unflatten(reader)? {
                        $($case => Ok(Self::$value),)*
                        case => Err(ValueError::InvalidCase(case)),
                    }
                }
            }
        };
    };
}

/// Implements at most eight flags: a struct with a boolean for each. For each its bit and field.
macro_rules! flags {
    ($flags:ident { $($bit:literal $flag:ident),* $(,)? }) => {
        const _: () = {
            fn bits(flags: &$flags) -> u8 {
                0 $(| (u8::from(flags.$flag) << $bit))*
            }

            fn from_bits(bits: u8) -> $flags {
                $flags { $($flag: bits & (1 << $bit) != 0),* }
            }

            impl Value for $flags {
                const TYPE: &'static Type = &Type::Flags(&[$(stringify!($flag)),*]);
                const LAYOUT: Layout = Layout::scalar(1);
            }

            impl Lower for $flags {
                fn store<G: Guest>(&self, guest: &mut G, address: u32) -> Result<(), G::Error> {
                    bits(self).store(guest, address)
                }

                fn flatten<G: Guest>(
                    &self,
                    guest: &mut G,
                    flat: &mut FlatValues,
                ) -> Result<(), G::Error> {
                    bits(self).flatten(guest, flat)
                }
            }

            impl Lift for $flags {
                fn load<M: Memory>(reader: &mut Reader<'_, M>, address: u32) -> Result<Self, ValueError> {
                    u8::load(reader, address).map(from_bits)
                }

                fn unflatten<M: Memory>(reader: &mut Reader<'_, M>) -> Result<Self, ValueError> {
                    u8::unflatten(reader).map(from_bits)
                }
            }
        };
    };
}

pub(crate) use {enumeration, flags, record, variant};

/// Implements a generic type of two cases, each with a payload.
macro_rules! two_cases {
    ($($generic:ident),+; $two:ty = $type:expr; $first:ty, $second:ty;
     [$($one:tt)+] = $one_payload:tt, [$($other:tt)+] = $other_payload:tt; $invalid:ident) => {
        impl<$($generic: Value),+> Value for $two {
            const TYPE: &'static Type = &$type;
            const LAYOUT: Layout = Layout::of_cases(<$first>::LAYOUT.or(<$second>::LAYOUT));
        }

        impl<$($generic: Lower),+> Lower for $two {
            fn store<G: Guest>(&self, guest: &mut G, address: u32) -> Result<(), G::Error> {
                let offset = payload_offset(<$first>::LAYOUT.or(<$second>::LAYOUT));
                let payload = address.wrapping_add(offset);
                match self {
                    $($one)+ => {
                        0u8.store(guest, address)?;
                        Lower::store(&$one_payload, guest, payload)
                    }
                    $($other)+ => {
                        1u8.store(guest, address)?;
                        Lower::store(&$other_payload, guest, payload)
                    }
                }
            }

            fn flatten<G: Guest>(
                &self,
                guest: &mut G,
                flat: &mut FlatValues,
            ) -> Result<(), G::Error> {
                let end = flat.count() + Self::LAYOUT.flat;
                match self {
                    $($one)+ => {
                        flat.push(0);
                        Lower::flatten(&$one_payload, guest, flat)?;
                    }
                    $($other)+ => {
                        flat.push(1);
                        Lower::flatten(&$other_payload, guest, flat)?;
                    }
                }
                flat.pad(end);
                Ok(())
            }
        }

        impl<$($generic: Lift),+> Lift for $two {
            fn load<M: Memory>(reader: &mut Reader<'_, M>, address: u32) -> Result<Self, ValueError> {
                let offset = payload_offset(<$first>::LAYOUT.or(<$second>::LAYOUT));
                let payload = address.wrapping_add(offset);
                match u8::load(reader, address)? {
                    0 => {
                        let $one_payload = <$first as Lift>::load(reader, payload)?;
                        Ok($($one)+)
                    }
                    1 => {
                        let $other_payload = <$second as Lift>::load(reader, payload)?;
                        Ok($($other)+)
                    }
                    _ => Err(ValueError::$invalid),
                }
            }

            fn unflatten<M: Memory>(reader: &mut Reader<'_, M>) -> Result<Self, ValueError> {
                let case = u32::unflatten(reader)?;
                let left = reader.flat_left().saturating_sub(Self::LAYOUT.flat - 1);
                let value = match case {
                    0 => {
                        let $one_payload = <$first as Lift>::unflatten(reader)?;
                        $($one)+
                    }
                    1 => {
                        let $other_payload = <$second as Lift>::unflatten(reader)?;
                        $($other)+
                    }
                    _ => return Err(ValueError::$invalid),
                };
                reader.skip_flat(left);
                Ok(value)
            }
        }
    };
}

two_cases!(T; Option<T> = Type::Option(T::TYPE); (), T; [None] = (), [Some(value)] = value;
    InvalidOption);
two_cases!(T, E; Result<T, E> = Type::Result(T::TYPE, E::TYPE); T, E;
    [Ok(value)] = value, [Err(error)] = error; InvalidResult);
