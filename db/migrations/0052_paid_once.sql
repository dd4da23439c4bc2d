ALTER TABLE "payment_cases" DROP CONSTRAINT "payment_cases_kind_known";--> statement-breakpoint
ALTER TABLE "plan_orders" DROP CONSTRAINT "plan_orders_status_known";--> statement-breakpoint
ALTER TABLE "payment_cases" ADD CONSTRAINT "payment_cases_kind_known" CHECK ("payment_cases"."kind" in ('refund', 'dispute', 'wrong_amount', 'late', 'duplicate'));--> statement-breakpoint
ALTER TABLE "plan_orders" ADD CONSTRAINT "plan_orders_status_known" CHECK ("plan_orders"."status" in ('pending', 'active', 'duplicate', 'ended'));