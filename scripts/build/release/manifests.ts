import { archiveName, TARGETS, type Target } from "./targets.ts";

/** What a list of packages knows of an archive. */
type Source = Readonly<{ url: string; sha256: string }>;

/** Where the archives of a version are, and their sums by name. */
export type Published = Readonly<{ version: string; url: string; homepage: string; sums: ReadonlyMap<string, string> }>;

const DESCRIPTION = "Gateway in front of every AI provider";

function sourceOf({ version, url, sums }: Published, id: string): Source & { folder: string } {
  const target = TARGETS.find((one) => one.id === id) as Target;
  const name = archiveName(version, target);
  const sha256 = sums.get(name);
  if (sha256 === undefined) throw new Error(`${name} is not among the archives`);
  return { url: `${url}/${name}`, sha256, folder: `sluice-${version}-${id}` };
}

/** A formula of Homebrew (https://docs.brew.sh/Formula-Cookbook): macOS and Linux, on both kinds of processors. */
export function homebrewFormula(published: Published): string {
  const source = (id: string) => {
    const { url, sha256 } = sourceOf(published, id);
    return `      url "${url}"\n      sha256 "${sha256}"`;
  };
  const system = (name: string, arm: string, intel: string) =>
    `  on_${name} do\n    on_arm do\n${source(arm)}\n    end\n    on_intel do\n${source(intel)}\n    end\n  end\n`;
  return `class Sluice < Formula
  desc "${DESCRIPTION}"
  homepage "${published.homepage}"
  version "${published.version}"
  license "Apache-2.0"

${system("macos", "darwin-arm64", "darwin-x64")}
${system("linux", "linux-arm64", "linux-x64")}
  def install
    bin.install "sluice"
    man1.install "man/sluice.1"
    bash_completion.install "completions/sluice.bash" => "sluice"
    zsh_completion.install "completions/_sluice"
    fish_completion.install "completions/sluice.fish"
  end

  service do
    run [opt_bin/"sluice", "serve"]
    environment_variables DATA_DIR: var/"sluice"
    keep_alive true
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/sluice --version")
  end
end
`;
}

/** A manifest of Scoop (https://github.com/ScoopInstaller/Scoop/wiki/App-Manifests); upgrades leave the data alone. */
export function scoopManifest(published: Published): string {
  const { url, sha256, folder } = sourceOf(published, "windows-x64");
  const manifest = {
    version: published.version,
    description: DESCRIPTION,
    homepage: published.homepage,
    license: "Apache-2.0",
    architecture: { "64bit": { url, hash: sha256, extract_dir: folder } },
    bin: "sluice.exe",
    env_set: { DATA_DIR: "$persist_dir\\data" },
    persist: "data",
  };
  return `${JSON.stringify(manifest, null, 4)}\n`;
}

/** The manifests of winget, by file (https://github.com/microsoft/winget-cli/tree/master/schemas/JSON/manifests). */
export function wingetManifests(published: Published): Record<string, string> {
  const { url, sha256, folder } = sourceOf(published, "windows-x64");
  const common = (type: string) =>
    `PackageIdentifier: Sluice.Sluice\nPackageVersion: ${published.version}\nManifestType: ${type}\nManifestVersion: 1.10.0\n`;
  return {
    "Sluice.Sluice.yaml": `${common("version")}DefaultLocale: en-US\n`,
    "Sluice.Sluice.locale.en-US.yaml": `${common("defaultLocale")}PackageLocale: en-US
Publisher: Sluice
PackageName: Sluice
License: Apache-2.0
ShortDescription: ${DESCRIPTION}
PackageUrl: ${published.homepage}
`,
    "Sluice.Sluice.installer.yaml": `${common("installer")}InstallerType: zip
NestedInstallerType: portable
NestedInstallerFiles:
  - RelativeFilePath: ${folder}\\sluice.exe
    PortableCommandAlias: sluice
Installers:
  - Architecture: x64
    InstallerUrl: ${url}
    InstallerSha256: ${sha256.toUpperCase()}
`,
  };
}
