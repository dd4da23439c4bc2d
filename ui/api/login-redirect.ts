import { forgetUser } from "../state/stored-user.ts";

/** Pages that are open to everybody: a lost session does not lead away from them. */
const OPEN_PAGES = ["/login", "/register", "/reset", "/user/reset", "/setup"];

/** Leaves for the sign-in page, which comes back here. */
export function goToLogin(): void {
  forgetUser();
  const { pathname, search } = window.location;
  if (OPEN_PAGES.includes(pathname)) return;
  window.location.assign(`/login?${new URLSearchParams({ expired: "true", returnTo: pathname + search })}`);
}

/** Where to go after signing in: a page of this site, never another one. */
export function safeReturnTo(given: string | undefined, fallback = "/token"): string {
  if (!given?.startsWith("/") || given.startsWith("//") || given.includes("\\")) return fallback;
  const url = URL.parse(given, "https://site.invalid");
  if (url?.origin !== "https://site.invalid" || OPEN_PAGES.includes(url.pathname)) return fallback;
  // "/.//host" is a path here and another site as a link.
  if (url.pathname.startsWith("//")) return fallback;
  return url.pathname + url.search + url.hash;
}
