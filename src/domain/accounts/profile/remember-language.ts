import { and, eq, sql } from "drizzle-orm";
import { users } from "../../../../db/schema/accounts/users.ts";
import type { Db } from "../../../../db/types.ts";
import type { Language } from "../../../lib/messages.ts";

/** Keeps in which language a user read the console last: notices come in it. */
export async function rememberLanguage(db: Db, userId: number, language: Language): Promise<void> {
  await db
    .update(users)
    .set({ setting: sql`${users.setting} || jsonb_build_object('language', ${language}::text)` })
    .where(and(eq(users.id, userId), sql`${users.setting} ->> 'language' is distinct from ${language}::text`));
}
