/** Writes rows one after the other and reports each that the database has acknowledged, until it is killed (kill.test.ts). */
import { openEmbedded } from "../../../../db/embedded/open.ts";

const [dataDir = "", start = "0"] = process.argv.slice(2);
const { sql } = await openEmbedded({ dataDir });
await sql`create table if not exists written (id int primary key, filler text not null)`;
for (let id = Number(start); ; id += 1) {
  if (id % 5 === 0) {
    await sql.begin(async (tx) => {
      await tx`insert into written values (${-id - 1}, 'first half')`;
      await tx`insert into written values (${id}, 'second half')`;
    });
  } else await sql`insert into written values (${id}, ${"x".repeat(id % 3000)})`;
  if (id % 50 === 49) await sql.unsafe("checkpoint");
  process.stdout.write(`${id}\n`);
}
