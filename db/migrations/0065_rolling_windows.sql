ALTER TABLE "subscriptions" ADD COLUMN "rolling_seconds" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "is_window_open" boolean DEFAULT true NOT NULL;