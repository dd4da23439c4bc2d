/** A version that the changelog does not know. */
class UnknownVersion extends Error {
  override name = "UnknownVersion";
}

/**
 * The notes of a release, from the changelog (https://keepachangelog.com/en/1.1.0/): what must be done before an upgrade comes
 * first. Throws UnknownVersion.
 */
export function releaseNotes(changelog: string, version: string): string {
  const parts = changelog.split(/^## /m);
  const own = parts.find((part) => part.startsWith(`[${version}]`));
  if (own === undefined) throw new UnknownVersion(`CHANGELOG.md has no section of ${version}`);
  const [head = "", ...sections] = own.split(/^### /m);
  const action = sections.find((section) => /^Action required\n/i.test(section));
  const rest = sections.filter((section) => section !== action);
  const lines = head.split("\n").slice(1).join("\n").trim();
  const required = action?.slice(action.indexOf("\n")).trim() ?? "Nothing: stop it, replace the executable, start it.";
  return [
    `# Sluice ${version}`,
    ...(lines ? [lines] : []),
    `## Action required\n\n${required}`,
    ...rest.map((section) => `## ${section.trim()}`),
    "Check what you downloaded: `sha256sum --check --ignore-missing SHA256SUMS`.",
  ]
    .join("\n\n")
    .concat("\n");
}
