import { eq } from "drizzle-orm";
import { tokens } from "../../../../db/schema/accounts/api-keys.ts";
import { users } from "../../../../db/schema/accounts/users.ts";
import type { Db } from "../../../../db/types.ts";

/** What is left and what was used, in quota units. */
export type Standing = Readonly<{ remaining: number; used: number }>;

/** Whose standing: that of one API key, or of its owner over all keys. */
export type StandingSubject = Readonly<{ tokenId: number } | { userId: number }>;

/** Reads how an API key or a user stands; nothing left and nothing used when the row is gone. */
export async function readStanding(db: Db, subject: StandingSubject): Promise<Standing> {
  const [row] =
    "tokenId" in subject
      ? await db
          .select({ remaining: tokens.remainQuota, used: tokens.usedQuota })
          .from(tokens)
          .where(eq(tokens.id, subject.tokenId))
      : await db
          .select({ remaining: users.quota, used: users.usedQuota })
          .from(users)
          .where(eq(users.id, subject.userId));
  return row ?? { remaining: 0, used: 0 };
}
