CREATE TABLE "lost_journals" (
	"process_id" text PRIMARY KEY NOT NULL,
	"location" text NOT NULL,
	"last_seen_at" bigint NOT NULL,
	"unwritten" integer NOT NULL,
	"unwritten_since" bigint,
	"journal_copy" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "processes" ADD COLUMN "location" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "processes" ADD COLUMN "unwritten" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "processes" ADD COLUMN "unwritten_since" bigint;--> statement-breakpoint
ALTER TABLE "processes" ADD COLUMN "recent_charges" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "processes" ADD COLUMN "journal_copy" text DEFAULT 'none' NOT NULL;