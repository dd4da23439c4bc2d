/** A machine that a release has an executable for. */
export type Target = Readonly<{
  /** Names its archive and its npm package. */
  id: string;
  /** The compile target of Bun (https://bun.sh/docs/bundler/executables#cross-compile-to-other-platforms). */
  bun: string;
  /** As Node names them; `libc` only on Linux. */
  os: "linux" | "darwin" | "win32";
  cpu: "x64" | "arm64";
  libc?: "glibc" | "musl";
  /** Needs AVX2, which processors before 2013 and some virtual machines lack: packages take the one without. */
  isModern?: boolean;
  /** The architecture's names in Debian's and Red Hat's packages. */
  deb?: string;
  rpm?: string;
}>;

export const TARGETS: readonly Target[] = [
  { id: "linux-x64-modern", bun: "bun-linux-x64-modern", os: "linux", cpu: "x64", libc: "glibc", isModern: true },
  {
    id: "linux-x64",
    bun: "bun-linux-x64-baseline",
    os: "linux",
    cpu: "x64",
    libc: "glibc",
    deb: "amd64",
    rpm: "x86_64",
  },
  { id: "linux-x64-musl", bun: "bun-linux-x64-musl-baseline", os: "linux", cpu: "x64", libc: "musl" },
  { id: "linux-arm64", bun: "bun-linux-arm64", os: "linux", cpu: "arm64", libc: "glibc", deb: "arm64", rpm: "aarch64" },
  { id: "linux-arm64-musl", bun: "bun-linux-arm64-musl", os: "linux", cpu: "arm64", libc: "musl" },
  { id: "darwin-x64", bun: "bun-darwin-x64", os: "darwin", cpu: "x64" },
  { id: "darwin-arm64", bun: "bun-darwin-arm64", os: "darwin", cpu: "arm64" },
  { id: "windows-x64", bun: "bun-windows-x64-baseline", os: "win32", cpu: "x64" },
];

/** The name of the program in archives and packages. */
export const programName = ({ os }: Target): string => (os === "win32" ? "sluice.exe" : "sluice");

/** The name of the archive, the smallest one; Windows unpacks zip files without another program. */
export const archiveName = (version: string, { id, os }: Target): string =>
  `sluice-${version}-${id}.${os === "win32" ? "zip" : "tar.xz"}`;
