//! `#[handler]`: a function that answers a request, as a value of one type.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Error, FnArg, ItemFn, Type};

/// The function becomes a constant of its name, of the type `Handler` of the crate that it stands in. That crate's
/// `without_query` says what becomes of a query that the function does not read.
pub(crate) fn implement(mut function: ItemFn) -> syn::Result<TokenStream> {
    if function.sig.asyncness.is_none() {
        return Err(Error::new_spanned(function.sig.fn_token, "a handler is `async`"));
    }
    let (name, visibility) = (function.sig.ident.clone(), function.vis.clone());
    let attributes = std::mem::take(&mut function.attrs);
    function.vis = syn::Visibility::Inherited;
    let mut types = Vec::new();
    for input in &function.sig.inputs {
        match input {
            FnArg::Typed(argument) => types.push(&argument.ty),
            FnArg::Receiver(receiver) => return Err(Error::new_spanned(receiver, "a handler has no `self`")),
        }
    }
    let names: Vec<_> = (0..types.len())
        .map(|number| format_ident!("argument_{number}"))
        .collect();
    let last = types.len().saturating_sub(1);
    let of_parts = names[..last].iter().zip(&types[..last]).map(|(name, kind)| {
        quote! {
            let #name = match <#kind as ::axum::extract::FromRequestParts<_>>::from_request_parts(&mut parts, &state).await {
                ::core::result::Result::Ok(read) => read,
                ::core::result::Result::Err(refusal) => return ::axum::response::IntoResponse::into_response(refusal),
            };
        }
    });
    let parts = (last > 0).then(|| {
        quote! {
            let (mut parts, body) = request.into_parts();
            #(#of_parts)*
            let request = ::axum::extract::Request::from_parts(parts, body);
        }
    });
    let of_request = names.get(last).zip(types.get(last)).map(|(name, kind)| {
        quote! {
            let #name = match <#kind as ::axum::extract::FromRequest<_, _>>::from_request(request, &state).await {
                ::core::result::Result::Ok(read) => read,
                ::core::result::Result::Err(refusal) => return ::axum::response::IntoResponse::into_response(refusal),
            };
        }
    });
    let state = match of_request {
        Some(_) => quote!(state),
        None => quote!(_),
    };
    let reads_query = types.iter().any(|kind| is_query(kind));
    let unread = (!reads_query).then(|| {
        quote! {
            if let ::core::option::Option::Some(refusal) = crate::without_query(&request) {
                return refusal;
            }
        }
    });
    // Routes and descriptions name it as the function that it was.
    Ok(quote! {
        #(#attributes)*
        #[allow(non_upper_case_globals)]
        #visibility const #name: crate::Handler = {
            #function
            crate::Handler::new(|request, #state| ::std::boxed::Box::pin(async move {
                #unread
                #parts
                #of_request
                ::axum::response::IntoResponse::into_response(#name(#(#names),*).await)
            }))
        };
    })
}

/// Whether a type is an extractor of the query.
fn is_query(kind: &Type) -> bool {
    let Type::Path(path) = kind else { return false };
    path.path.segments.last().is_some_and(|last| last.ident == "Query")
}
