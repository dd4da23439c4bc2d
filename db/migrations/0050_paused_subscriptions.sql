ALTER TABLE "subscriptions" DROP CONSTRAINT "subscriptions_status_known";--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "pause_at_end" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_status_known" CHECK ("subscriptions"."status" in ('active', 'past_due', 'ending', 'paused', 'ended'));