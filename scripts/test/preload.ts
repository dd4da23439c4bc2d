// Before any test: the embedded database's worker imports the seed, which a fresh clone does not have yet.
import { ensureSeed } from "../build/seed.ts";

await ensureSeed();
