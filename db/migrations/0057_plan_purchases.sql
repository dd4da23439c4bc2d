CREATE TABLE "plan_purchases" (
	"order_id" integer PRIMARY KEY NOT NULL,
	"plan_id" integer NOT NULL,
	"subscription_id" integer,
	"period_start" bigint,
	"coupon_id" integer,
	"extra_seats" integer DEFAULT 0 NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	CONSTRAINT "plan_purchases_status_known" CHECK ("plan_purchases"."status" in ('pending', 'next', 'begun', 'balance', 'refunded'))
);
--> statement-breakpoint
ALTER TABLE "payment_cases" DROP CONSTRAINT "payment_cases_kind_known";--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "pay_method" text;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "reminded_for" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "plan_purchases" ADD CONSTRAINT "plan_purchases_order_id_top_up_orders_id_fk" FOREIGN KEY ("order_id") REFERENCES "public"."top_up_orders"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "plan_purchases" ADD CONSTRAINT "plan_purchases_plan_id_plans_id_fk" FOREIGN KEY ("plan_id") REFERENCES "public"."plans"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "plan_purchases" ADD CONSTRAINT "plan_purchases_subscription_id_subscriptions_id_fk" FOREIGN KEY ("subscription_id") REFERENCES "public"."subscriptions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "plan_purchases" ADD CONSTRAINT "plan_purchases_coupon_id_coupons_id_fk" FOREIGN KEY ("coupon_id") REFERENCES "public"."coupons"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "plan_purchases_next_key" ON "plan_purchases" USING btree ("subscription_id") WHERE "plan_purchases"."status" = 'next';--> statement-breakpoint
CREATE UNIQUE INDEX "plan_purchases_period_key" ON "plan_purchases" USING btree ("subscription_id","period_start") WHERE "plan_purchases"."status" in ('next', 'begun');--> statement-breakpoint
CREATE INDEX "plan_purchases_coupon_idx" ON "plan_purchases" USING btree ("coupon_id") WHERE "plan_purchases"."status" = 'pending';--> statement-breakpoint
ALTER TABLE "payment_cases" ADD CONSTRAINT "payment_cases_kind_known" CHECK ("payment_cases"."kind" in ('refund', 'dispute', 'wrong_amount', 'late', 'duplicate', 'same_period', 'to_balance'));--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_one_payer" CHECK ("subscriptions"."order_id" is null or "subscriptions"."pay_method" is null);