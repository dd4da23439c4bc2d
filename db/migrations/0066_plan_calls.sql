ALTER TABLE "budgets" DROP CONSTRAINT "budgets_scope_known";--> statement-breakpoint
ALTER TABLE "plans" ADD COLUMN "window_calls" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "window_calls" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "calls_left" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "unlogged_calls" ADD COLUMN "included" integer;--> statement-breakpoint
ALTER TABLE "budgets" ADD CONSTRAINT "budgets_scope_known" CHECK ("budgets"."scope" in ('organization', 'project', 'member', 'key', 'plan', 'calls'));--> statement-breakpoint
ALTER TABLE "plans" ADD CONSTRAINT "plans_window_calls_not_negative" CHECK (window_calls >= 0);--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_calls_not_negative" CHECK ("subscriptions"."calls_left" between 0 and "subscriptions"."window_calls");