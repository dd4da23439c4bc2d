import { OperationError } from "../../lib/operation-error.ts";

type AddressReader = Readonly<{ get(key: "ServerAddress"): string }>;

/**
 * Where the site is reached from outside: the option `ServerAddress`, with the base path and without a slash at its end. What
 * leaves this process (links in mails, addresses that other services return to, entity ids) is built from it, never from a
 * request's Host header, which every caller chooses. Throws OperationError, which says where to set it.
 */
export function requireServerAddress(settings: AddressReader): string {
  const address = settings.get("ServerAddress");
  if (address === "") throw new OperationError("server_address_missing");
  return address;
}

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;

type Called = Readonly<{ url: string }>;

/** The same for the caller of a request alone; without it the address that was called, which nobody else gets. */
export const siteForCaller = (settings: AddressReader, { url }: Called, basePath: string): string =>
  settings.get("ServerAddress") || new URL(url).origin + basePath;

/**
 * Where applications sign people in by OAuth: the site's public address, or without it the address that was called if it is of this
 * machine. Null: at any other it is neither known nor encrypted.
 */
export const signInSite = (settings: AddressReader, called: Called, basePath: string): string | null =>
  settings.get("ServerAddress") !== "" || LOOPBACK.test(new URL(called.url).hostname)
    ? siteForCaller(settings, called, basePath)
    : null;

/** An operator may write the address with the base path or without it; "": none. */
export function withBasePath(address: string, basePath: string): string {
  if (address === "" || basePath === "" || new URL(address).pathname.endsWith(basePath)) return address;
  return address + basePath;
}

/** This machine's own address, for messages that go out in any case. */
export const localAddressOf = ({ port, basePath }: Readonly<{ port: number; basePath: string }>): string =>
  `http://localhost:${port}${basePath}`;
