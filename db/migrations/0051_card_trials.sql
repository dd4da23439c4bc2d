ALTER TABLE "plan_orders" ADD COLUMN "trial_days" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "plan_payments" ADD COLUMN "is_trial" boolean DEFAULT false NOT NULL;