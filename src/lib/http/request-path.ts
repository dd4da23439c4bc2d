const BEFORE_HOST = "https://".length;

/** The path of an absolute address as it stands there, without the query. */
export function pathOf(url: string): string {
  const start = url.indexOf("/", BEFORE_HOST);
  const end = url.indexOf("?", start);
  return end < 0 ? url.slice(start) : url.slice(start, end);
}

/**
 * Gives a request another path; its query stays. The server knows the connection and the body of this very object: a new one
 * would lose both.
 */
export function changePath(request: Request, path: string): void {
  const { url } = request;
  const start = url.indexOf("/", BEFORE_HOST);
  const value = url.slice(0, start) + path + url.slice(start + pathOf(url).length);
  Object.defineProperty(request, "url", { value, configurable: true });
}

/** A path, or a part of one, without its percent escapes; one with malformed escapes stays as it is. */
export function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
