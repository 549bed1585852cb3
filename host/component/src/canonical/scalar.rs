//! Numbers, booleans, and references to values.

use super::{
    FlatValues, Guest, Layout, Lift, Lower, Memory, Reader, Type, Value, ValueError, write,
};

/// Implements a number that lies in memory as its little-endian bytes. `$unsigned` is the unsigned
/// type of as many bits.
macro_rules! number {
    ($number:ty, $unsigned:ty, $type:ident) => {
        impl Value for $number {
            const TYPE: &'static Type = &Type::$type;
            const LAYOUT: Layout = Layout::scalar(size_of::<$number>() as u32);
        }

        impl Lower for $number {
            fn store<G: Guest>(&self, guest: &mut G, address: u32) -> Result<(), G::Error> {
                Ok(write(guest, address, &self.to_le_bytes())?)
            }

            fn flatten<G: Guest>(&self, _: &mut G, flat: &mut FlatValues) -> Result<(), G::Error> {
                flat.push(<$unsigned>::from_le_bytes(self.to_le_bytes()).into());
                Ok(())
            }
        }

        impl Lift for $number {
            fn load<M: Memory>(
                reader: &mut Reader<'_, M>,
                address: u32,
            ) -> Result<Self, ValueError> {
                reader.array(address).map(Self::from_le_bytes)
            }

            fn unflatten<M: Memory>(reader: &mut Reader<'_, M>) -> Result<Self, ValueError> {
                let low_bits = reader.next_flat() as $unsigned;
                Ok(Self::from_le_bytes(low_bits.to_le_bytes()))
            }
        }
    };
}

number!(u16, u16, U16);
number!(u32, u32, U32);
number!(u64, u64, U64);
number!(i32, u32, S32);
number!(i64, u64, S64);
number!(f64, u64, F64);

impl Value for u8 {
    const TYPE: &'static Type = &Type::U8;
    const LAYOUT: Layout = Layout::scalar(1);
}

impl Lower for u8 {
    fn store<G: Guest>(&self, guest: &mut G, address: u32) -> Result<(), G::Error> {
        Ok(write(guest, address, &[*self])?)
    }

    fn flatten<G: Guest>(&self, _: &mut G, flat: &mut FlatValues) -> Result<(), G::Error> {
        flat.push((*self).into());
        Ok(())
    }

    fn store_all<G: Guest>(items: &[Self], guest: &mut G, address: u32) -> Result<(), G::Error> {
        Ok(write(guest, address, items)?)
    }
}

impl Lift for u8 {
    fn load<M: Memory>(reader: &mut Reader<'_, M>, address: u32) -> Result<Self, ValueError> {
        reader.array(address).map(u8::from_le_bytes)
    }

    fn unflatten<M: Memory>(reader: &mut Reader<'_, M>) -> Result<Self, ValueError> {
        Ok(reader.next_flat() as u8)
    }

    fn load_all<M: Memory>(
        reader: &mut Reader<'_, M>,
        address: u32,
        count: u32,
    ) -> Result<Vec<Self>, ValueError> {
        Ok(reader.bytes(address, count)?.into_owned())
    }
}

impl Value for bool {
    const TYPE: &'static Type = &Type::Bool;
    const LAYOUT: Layout = Layout::scalar(1);
}

impl Lower for bool {
    fn store<G: Guest>(&self, guest: &mut G, address: u32) -> Result<(), G::Error> {
        u8::from(*self).store(guest, address)
    }

    fn flatten<G: Guest>(&self, guest: &mut G, flat: &mut FlatValues) -> Result<(), G::Error> {
        u8::from(*self).flatten(guest, flat)
    }
}

impl Lift for bool {
    fn load<M: Memory>(reader: &mut Reader<'_, M>, address: u32) -> Result<Self, ValueError> {
        Ok(u8::load(reader, address)? != 0)
    }

    fn unflatten<M: Memory>(reader: &mut Reader<'_, M>) -> Result<Self, ValueError> {
        // All 32 bits count, not only the lowest eight.
        Ok(u32::unflatten(reader)? != 0)
    }
}

impl<T: Value + ?Sized> Value for &T {
    const TYPE: &'static Type = T::TYPE;
    const LAYOUT: Layout = T::LAYOUT;
}

impl<T: Lower + ?Sized> Lower for &T {
    fn store<G: Guest>(&self, guest: &mut G, address: u32) -> Result<(), G::Error> {
        (**self).store(guest, address)
    }

    fn flatten<G: Guest>(&self, guest: &mut G, flat: &mut FlatValues) -> Result<(), G::Error> {
        (**self).flatten(guest, flat)
    }
}
