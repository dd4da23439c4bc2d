ALTER TABLE "payment_cases" DROP CONSTRAINT "payment_cases_kind_known";--> statement-breakpoint
ALTER TABLE "plan_orders" ADD COLUMN "service" text DEFAULT 'stripe' NOT NULL;--> statement-breakpoint
CREATE INDEX "plan_orders_session_idx" ON "plan_orders" USING btree ("session_no") WHERE "plan_orders"."session_no" <> '';--> statement-breakpoint
ALTER TABLE "payment_cases" ADD CONSTRAINT "payment_cases_kind_known" CHECK ("payment_cases"."kind" in ('refund', 'dispute', 'wrong_amount', 'late', 'duplicate', 'same_period'));--> statement-breakpoint
ALTER TABLE "plan_orders" ADD CONSTRAINT "plan_orders_service_known" CHECK ("plan_orders"."service" in ('stripe', 'paypal'));