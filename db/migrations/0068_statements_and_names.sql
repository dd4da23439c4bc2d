ALTER TABLE "unlogged_calls" ADD COLUMN "token_name" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "unlogged_calls" ADD COLUMN "model_name" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "unlogged_calls" ADD COLUMN "prompt_tokens" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "unlogged_calls" ADD COLUMN "completion_tokens" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "unlogged_calls" ADD COLUMN "worth" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "users_username_folded_idx" ON "users" USING btree (lower("username"));