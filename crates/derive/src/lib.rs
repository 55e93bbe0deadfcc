//! `#[derive(FromRow)]`: reads a type from a row of the database, each field from the column of its name.
//!
//! sqlx has one of this name, which builds sqlx twice: once for the program, once for its macros.
//!
//! `#[handler]`: a function that answers a request, as a value of one type.

mod handler;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Field, Fields, ItemFn, LitStr, parse_macro_input, parse_quote};

/// Makes an `async` function whose arguments are extractors of axum's, the last one of the whole request, a constant of
/// its name and of the crate's type `Handler`.
///
/// axum takes such functions as they are, but each is a type of its own there, for which the compiler builds a dozen
/// layers of the router anew.
///
/// A constant is no function: what other code calls stands in a function of its own, and no variable of the module has
/// the name of a handler, since the compiler would take it for a pattern.
#[proc_macro_attribute]
pub fn handler(_: proc_macro::TokenStream, item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let function = parse_macro_input!(item as ItemFn);
    handler::implement(function)
        .unwrap_or_else(Error::into_compile_error)
        .into()
}

/// Implements `clifford_core::row::FromRow`. `#[row(rename = "column")]` reads a field from a column of another name,
/// `#[row(flatten)]` reads it from the row itself.
#[proc_macro_derive(FromRow, attributes(row))]
pub fn from_row(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    implement(input).unwrap_or_else(Error::into_compile_error).into()
}

fn implement(mut input: DeriveInput) -> syn::Result<TokenStream> {
    let name = &input.ident;
    let Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(name, "only a struct is read from a row"));
    };
    let Fields::Named(fields) = &data.fields else {
        return Err(Error::new_spanned(name, "its fields need the names of columns"));
    };
    let mut reads = Vec::new();
    for field in &fields.named {
        reads.push(read(field, &mut input.generics)?);
    }
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    Ok(quote! {
        #[automatically_derived]
        impl #generics ::clifford_core::row::FromRow for #name #arguments #bounds {
            fn from_row(
                row: &dyn ::clifford_core::row::Row,
            ) -> ::core::result::Result<Self, ::clifford_core::row::RowError> {
                ::core::result::Result::Ok(Self { #(#reads,)* })
            }
        }
    })
}

/// How a field is read.
fn read(field: &Field, generics: &mut syn::Generics) -> syn::Result<TokenStream> {
    let (name, kind) = (&field.ident, &field.ty);
    let mut column = name.as_ref().map(ToString::to_string).unwrap_or_default();
    let mut flatten = false;
    for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("row")) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("flatten") {
                flatten = true;
            } else if meta.path.is_ident("rename") {
                column = meta.value()?.parse::<LitStr>()?.value();
            } else {
                return Err(meta.error("neither `flatten` nor `rename`"));
            }
            Ok(())
        })?;
    }
    if !flatten {
        return Ok(quote!(#name: ::clifford_core::row::column(row, #column)?));
    }
    if !generics.params.is_empty() {
        let bound = parse_quote!(#kind: ::clifford_core::row::FromRow);
        generics.make_where_clause().predicates.push(bound);
    }
    Ok(quote!(#name: ::clifford_core::row::FromRow::from_row(row)?))
}
