import { BASE_PATH } from "../lib/base-path.ts";
import { forgetUser } from "../state/stored-user.ts";
import { hasDeclinedSignIn } from "./accounts/sign-in-again.ts";

/** Public pages: an expired session doesn't redirect away from them. */
const OPEN_PAGES = ["/login", "/register", "/reset", "/user/reset", "/setup"];

/** Redirects to the sign-in page, which returns here, unless somebody prefers to stay on the page as it is. */
export function leaveForSignIn(): void {
  if (hasDeclinedSignIn()) return;
  forgetUser();
  const { search } = window.location;
  const pathname = window.location.pathname.slice(BASE_PATH.length);
  if (OPEN_PAGES.includes(pathname)) return;
  window.location.assign(`${BASE_PATH}/login?${new URLSearchParams({ expired: "true", returnTo: pathname + search })}`);
}

/** The page to open after sign-in: always one of this site. */
export function safeReturnTo(target: string | undefined, fallback = "/console"): string {
  if (!target?.startsWith("/") || target.startsWith("//") || target.includes("\\")) return fallback;
  const url = URL.parse(target, "https://site.invalid");
  if (url?.origin !== "https://site.invalid" || OPEN_PAGES.includes(url.pathname)) return fallback;
  // "/.//host" is a path here, but a link to it opens another site.
  if (url.pathname.startsWith("//")) return fallback;
  return url.pathname + url.search + url.hash;
}
