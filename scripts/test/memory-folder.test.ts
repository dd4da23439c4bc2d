import { expect, test } from "bun:test";
import { allowsPrograms } from "./memory-folder.ts";

const ROOT = "/dev/vda / ext4 rw 0 0\n";

test("a mount from which programs can be started will do", () => {
  expect(allowsPrograms(`${ROOT}tmpfs /dev/shm tmpfs rw,size=8g 0 0\n`, "/dev/shm")).toBe(true);
});

test("a mount without programs will not, nor a folder that is no mount", () => {
  expect(allowsPrograms(`${ROOT}shm /dev/shm tmpfs rw,noexec 0 0\n`, "/dev/shm")).toBe(false);
  expect(allowsPrograms(ROOT, "/dev/shm")).toBe(false);
});

test("of two mounts at the same place the last one counts", () => {
  const mounts = "shm /dev/shm tmpfs rw,noexec 0 0\ntmpfs /dev/shm tmpfs rw 0 0\n";
  expect(allowsPrograms(mounts, "/dev/shm")).toBe(true);
});
