ALTER TABLE "plans" ADD COLUMN "requests_per_minute" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "plans" ADD COLUMN "tokens_per_minute" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "plans" ADD CONSTRAINT "plans_rates_not_negative" CHECK (requests_per_minute >= 0 and tokens_per_minute >= 0);