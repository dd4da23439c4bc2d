/** A base URL as it is stored: trimmed, without trailing slashes. */
export const cleanBaseUrl = (text: string): string => text.trim().replace(/\/+$/, "");

/** Endpoints add /v1 themselves, so an address that ends in it leads to /v1/v1. */
export const endsInV1 = (text: string): boolean => /\/v1$/.test(cleanBaseUrl(text));
