ALTER TABLE "job_turns" ADD COLUMN "holder" text;--> statement-breakpoint
ALTER TABLE "job_turns" ADD COLUMN "run_id" text;--> statement-breakpoint
ALTER TABLE "job_turns" ADD COLUMN "started_at" bigint;--> statement-breakpoint
ALTER TABLE "job_turns" ADD COLUMN "ended_at" bigint;--> statement-breakpoint
ALTER TABLE "job_turns" ADD COLUMN "lease_until" bigint;--> statement-breakpoint
ALTER TABLE "job_turns" ADD COLUMN "error" text DEFAULT '' NOT NULL;