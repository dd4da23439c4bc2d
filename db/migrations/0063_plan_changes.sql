ALTER TABLE "plan_orders" DROP CONSTRAINT "plan_orders_status_known";--> statement-breakpoint
ALTER TABLE "plan_orders" ADD COLUMN "replaces_id" integer;--> statement-breakpoint
ALTER TABLE "plan_orders" ADD COLUMN "price_no" text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX "plan_orders_subscription_idx" ON "plan_orders" USING btree ("subscription_no") WHERE "plan_orders"."subscription_no" <> '';--> statement-breakpoint
CREATE UNIQUE INDEX "plan_orders_change_key" ON "plan_orders" USING btree ("replaces_id") WHERE "plan_orders"."status" in ('pending', 'next');--> statement-breakpoint
ALTER TABLE "plan_orders" ADD CONSTRAINT "plan_orders_status_known" CHECK ("plan_orders"."status" in ('pending', 'next', 'active', 'replaced', 'duplicate', 'ended'));