CREATE TABLE "agents" (
	"user_id" integer PRIMARY KEY NOT NULL,
	"rate" numeric(5, 2) NOT NULL,
	"is_active" boolean DEFAULT true NOT NULL,
	"note" text DEFAULT '' NOT NULL,
	"balance" bigint DEFAULT 0 NOT NULL,
	"earned" bigint DEFAULT 0 NOT NULL,
	"granted_by" integer,
	"created_time" bigint NOT NULL,
	CONSTRAINT "agents_balance_not_negative" CHECK ("agents"."balance" >= 0),
	CONSTRAINT "agents_rate_percent" CHECK ("agents"."rate" >= 0 and "agents"."rate" <= 100)
);
--> statement-breakpoint
CREATE TABLE "check_ins" (
	"user_id" integer NOT NULL,
	"day" date NOT NULL,
	"quota" bigint NOT NULL,
	"created_time" bigint NOT NULL,
	CONSTRAINT "check_ins_user_id_day_pk" PRIMARY KEY("user_id","day")
);
--> statement-breakpoint
ALTER TABLE "rebates" ADD COLUMN "kind" text DEFAULT 'cashback' NOT NULL;--> statement-breakpoint
ALTER TABLE "rebates" ADD COLUMN "rate" numeric(5, 2) DEFAULT '0' NOT NULL;--> statement-breakpoint
ALTER TABLE "top_up_orders" ADD COLUMN "gateway_no" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "top_up_orders" ADD COLUMN "completed_by" integer;--> statement-breakpoint
ALTER TABLE "withdrawals" ADD COLUMN "reply" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "agents" ADD CONSTRAINT "agents_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agents" ADD CONSTRAINT "agents_granted_by_users_id_fk" FOREIGN KEY ("granted_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "check_ins" ADD CONSTRAINT "check_ins_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "top_up_orders" ADD CONSTRAINT "top_up_orders_completed_by_users_id_fk" FOREIGN KEY ("completed_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "rebates_order_key" ON "rebates" USING btree ("order_id");--> statement-breakpoint
ALTER TABLE "rebates" ADD CONSTRAINT "rebates_kind_known" CHECK ("rebates"."kind" in ('cashback', 'dividend'));