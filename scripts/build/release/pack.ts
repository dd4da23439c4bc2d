import { chmod, copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { $ } from "bun";
import { zipSync } from "fflate";
import { completions, manualPage } from "./manual.ts";
import { archiveName, programName, type Target } from "./targets.ts";

const ROOT = path.resolve(import.meta.dir, "../../..");

/** What is packed, and how. */
export type Pack = Readonly<{
  version: string;
  /** Epoch seconds that files get, so that the same commit makes the same packages (https://reproducible-builds.org). */
  epoch: number;
  /** Where packages are put. */
  out: string;
  /** The project's page; empty: none. */
  homepage: string;
  /** 0 packs at once and without compression, for tests; 9 is for a release. */
  level: 0 | 9;
}>;

const SUMMARY = "A gateway in front of every AI provider";
const DESCRIPTION =
  "One API key for every provider: each call is metered, charged to a quota and shown in a console. One program with its database inside.";

/** Runs a program with files owned by root and of one time. */
const environment = ({ epoch }: Pack) => ({ ...process.env, SOURCE_DATE_EPOCH: String(epoch), TZ: "UTC", LC_ALL: "C" });

async function put(file: string, content: string | Uint8Array, mode = 0o644): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, content, { mode });
  await chmod(file, mode);
}

async function install(from: string, to: string, mode = 0o644): Promise<void> {
  await mkdir(path.dirname(to), { recursive: true });
  await copyFile(from, to);
  await chmod(to, mode);
}

/** A folder for what goes into one package; removed by the one who asks for it. */
async function emptyFolder(folder: string): Promise<string> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  return folder;
}

const day = ({ epoch }: Pack) => new Date(epoch * 1000).toISOString().slice(0, 10);

/** What every package has next to the program, by its place in an archive. */
async function companions(pack: Pack): Promise<Record<string, Uint8Array>> {
  const files: Record<string, Uint8Array> = {};
  const add = (name: string, text: string) => {
    files[name] = Buffer.from(text);
  };
  add("man/sluice.1", manualPage(pack.version, day(pack)));
  for (const [name, text] of Object.entries(completions())) add(`completions/${name}`, text);
  add("LICENSE", await Bun.file(path.join(ROOT, "LICENSE")).text());
  add("sluice.cdx.json", await Bun.file(path.join(ROOT, "dist/sbom/sluice.cdx.json")).text());
  add("sluice.service", await Bun.file(path.join(ROOT, "deploy/systemd/sluice.service")).text());
  return files;
}

/**
 * An archive with the program, its manual page, completions, unit, license and bill of materials; as tar.xz, also a tar.gz for
 * systems without xz, a quarter larger.
 */
export async function packArchive(pack: Pack, target: Target, program: string): Promise<void> {
  const file = path.join(pack.out, archiveName(pack.version, target));
  const folderName = `sluice-${pack.version}-${target.id}`;
  const files = await companions(pack);
  if (target.os === "win32") {
    const entries = { ...files, [programName(target)]: new Uint8Array(await Bun.file(program).arrayBuffer()) };
    const named = Object.fromEntries(Object.entries(entries).map(([name, bytes]) => [`${folderName}/${name}`, bytes]));
    // A zip file has local times without a zone, from 1980 on.
    const mtime = new Date(Math.max(pack.epoch, 315_619_200) * 1000);
    await writeFile(file, zipSync(named, { level: pack.level, mtime }));
    return;
  }
  const work = await emptyFolder(path.join(pack.out, `.${target.id}`));
  try {
    const folder = path.join(work, folderName);
    for (const [name, bytes] of Object.entries(files)) await put(path.join(folder, name), bytes);
    await install(program, path.join(folder, programName(target)), 0o755);
    const tar = await packTar(pack, work, folderName);
    // Addresses in machine code are made alike before it is packed: 2 % less.
    const code = target.cpu === "x64" ? ["--x86"] : [];
    const packing = Bun.spawn(["xz", "--threads=1", ...code, `--lzma2=preset=${pack.level}`], {
      stdin: tar,
      stdout: "pipe",
      stderr: "inherit",
    });
    await Promise.all([writeFile(file.replace(/xz$/, "gz"), gzip(pack, tar)), Bun.write(file, packing.stdout)]);
    if ((await packing.exited) !== 0) throw new Error(`xz cannot pack ${file}`);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Packs at once: what gzip makes of pieces depends on where they end. */
export const gzip = ({ level }: Pack, bytes: Uint8Array): Uint8Array => gzipSync(bytes, { level });

/** Packs a folder as tar, always in the same order, with the same owner and time. */
export async function packTar(pack: Pack, from: string, folder: string): Promise<Uint8Array> {
  const ordered = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--format=ustar"];
  const args = ["tar", "--create", ...ordered, `--mtime=@${pack.epoch}`, "-C", from, folder];
  const packing = Bun.spawn(args, { env: environment(pack), stdout: "pipe", stderr: "inherit" });
  const tar = await new Response(packing.stdout).bytes();
  if ((await packing.exited) !== 0) throw new Error(`tar cannot pack ${from}/${folder}`);
  return tar;
}

/** The files of a package of the system, by their place: those of the archive, where the system looks for them. */
async function placeFiles(pack: Pack, root: string, program: string): Promise<void> {
  const files = await companions(pack);
  const places: Readonly<Record<string, string>> = {
    "completions/sluice.bash": "usr/share/bash-completion/completions/sluice",
    "completions/_sluice": "usr/share/zsh/vendor-completions/_sluice",
    "completions/sluice.fish": "usr/share/fish/vendor_completions.d/sluice.fish",
    LICENSE: "usr/share/doc/sluice/copyright",
    "sluice.cdx.json": "usr/share/doc/sluice/sluice.cdx.json",
  };
  for (const [name, place] of Object.entries(places)) await put(path.join(root, place), files[name] ?? "");
  await put(path.join(root, "usr/share/man/man1/sluice.1.gz"), gzipSync(files["man/sluice.1"] ?? ""));
  const unit = Buffer.from(files["sluice.service"] ?? "")
    .toString()
    .replace("/usr/local/bin/sluice serve", "/usr/bin/sluice serve")
    .replace("/usr/local/bin/sluice reload", "/usr/bin/sluice reload")
    .replace(/^#[^\n]*\n#[^\n]*\n/, "");
  await put(path.join(root, "usr/lib/systemd/system/sluice.service"), unit);
  await install(program, path.join(root, "usr/bin/sluice"), 0o755);
}

/** Makes the account of the service; nothing in another root, as when an image is built. */
const ADD_USER = `if [ -z "\${DPKG_ROOT:-}" ] && ! getent passwd sluice >/dev/null; then
  useradd --system --user-group --home-dir /var/lib/sluice --shell /usr/sbin/nologin sluice
fi
if [ -z "\${DPKG_ROOT:-}" ] && [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
`;
const RESTART = `if [ -d /run/systemd/system ] && systemctl --quiet is-active sluice; then systemctl restart sluice; fi
`;
const STOP = `if [ -d /run/systemd/system ]; then systemctl --quiet disable --now sluice || true; fi
`;

/** A package for Debian and what is made of it (deb-control(5)). It never removes /var/lib/sluice. Resolves with its path. */
export async function packDeb(pack: Pack, target: Target & { deb: string }, program: string): Promise<string> {
  const root = await emptyFolder(path.join(pack.out, `.deb-${target.deb}`));
  const file = path.join(pack.out, `sluice_${pack.version}_${target.deb}.deb`);
  try {
    await placeFiles(pack, root, program);
    const bytes = (await Bun.file(program).stat()).size;
    const control = [
      "Package: sluice",
      `Version: ${pack.version}`,
      `Architecture: ${target.deb}`,
      "Maintainer: The maintainers of Sluice <maintainers@localhost>",
      `Installed-Size: ${Math.ceil(bytes / 1024)}`,
      "Depends: libc6 (>= 2.17), ca-certificates",
      "Recommends: systemd",
      "Section: net",
      "Priority: optional",
      ...(pack.homepage ? [`Homepage: ${pack.homepage}`] : []),
      `Description: ${SUMMARY}`,
      ` ${DESCRIPTION}`,
      "",
    ];
    await put(path.join(root, "DEBIAN/control"), control.join("\n"));
    const script = (text: string) => `#!/bin/sh\nset -e\n${text}`;
    const restart = `if [ -z "\${DPKG_ROOT:-}" ] && [ -n "\${2:-}" ]; then\n${RESTART}fi\n`;
    await put(path.join(root, "DEBIAN/postinst"), script(ADD_USER + restart), 0o755);
    const prerm = `if [ "$1" = remove ] && [ -z "\${DPKG_ROOT:-}" ]; then\n${STOP}fi\n`;
    await put(path.join(root, "DEBIAN/prerm"), script(prerm), 0o755);
    const packed = pack.level === 0 ? ["-Znone"] : ["-Zxz", "-z9"];
    await $`dpkg-deb --root-owner-group ${packed} --build ${root} ${file}`.env(environment(pack)).quiet();
  } finally {
    await rm(root, { recursive: true, force: true });
  }
  return file;
}

/** A package for Red Hat and its kin (https://rpm.org/docs/4.18.x/manual/spec.html). Resolves with its path. */
export async function packRpm(pack: Pack, target: Target & { rpm: string }, program: string): Promise<string> {
  const work = await emptyFolder(path.join(pack.out, `.rpm-${target.rpm}`));
  try {
    const root = path.join(work, "files");
    await placeFiles(pack, root, program);
    // A hyphen would begin the release; a tilde sorts before the final version.
    const version = pack.version.replace("-", "~");
    const spec = [
      `%global __os_install_post %{nil}`,
      `%global _build_id_links none`,
      `%global use_source_date_epoch_as_buildtime 1`,
      `%global clamp_mtime_to_source_date_epoch 1`,
      `%global _buildhost localhost`,
      `%global _binary_payload ${pack.level === 0 ? "w0.gzdio" : "w19.zstdio"}`,
      "Name: sluice",
      `Version: ${version}`,
      "Release: 1",
      `Summary: ${SUMMARY}`,
      "License: Apache-2.0",
      ...(pack.homepage ? [`URL: ${pack.homepage}`] : []),
      "AutoReqProv: no",
      "Requires: glibc >= 2.17, ca-certificates",
      "Requires(pre): shadow-utils",
      "%description",
      DESCRIPTION,
      "%install",
      `cp -a ${root}/. %{buildroot}/`,
      "%pre",
      ADD_USER.split("\n").slice(0, 3).join("\n"),
      "%post",
      "if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi",
      `if [ "$1" -gt 1 ]; then\n${RESTART}fi`,
      "%preun",
      `if [ "$1" -eq 0 ]; then\n${STOP}fi`,
      "%files",
      "%defattr(-,root,root)",
      "/usr/bin/sluice",
      "/usr/lib/systemd/system/sluice.service",
      "/usr/share/bash-completion/completions/sluice",
      "/usr/share/zsh/vendor-completions/_sluice",
      "/usr/share/fish/vendor_completions.d/sluice.fish",
      "/usr/share/man/man1/sluice.1.gz",
      "/usr/share/doc/sluice",
      "",
    ];
    const specFile = path.join(work, "sluice.spec");
    await put(specFile, spec.join("\n"));
    const folders = ["--define", `_topdir ${work}/top`, "--define", `_rpmdir ${work}/made`];
    await $`rpmbuild -bb --quiet --target ${target.rpm} ${folders} ${specFile}`.env(environment(pack)).quiet();
    const made = path.join(work, "made", target.rpm, `sluice-${version}-1.${target.rpm}.rpm`);
    const file = path.join(pack.out, path.basename(made));
    await copyFile(made, file);
    return file;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
