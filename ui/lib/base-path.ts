/** The path below which the server serves this site (BASE_PATH), such as `/sluice`; empty: the root. It writes it into the page. */
export const BASE_PATH: string = globalThis.document?.documentElement.dataset.basePath ?? "";

/** A path of this site as the browser needs it. Addresses elsewhere stay as they are. */
export const sitePath = (path: string): string =>
  path.startsWith("/") && !path.startsWith("//") ? BASE_PATH + path : path;

/** The address of this site as the browser sees it. */
export const siteOrigin = (): string => window.location.origin + BASE_PATH;

/** The key of something kept in this browser: sites below other paths of the same host keep theirs apart. */
export const storageKey = (key: string): string => (BASE_PATH === "" ? key : `${BASE_PATH}:${key}`);
