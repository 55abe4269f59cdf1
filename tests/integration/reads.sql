-- The reads of reads_test: a line "-- name | order", then one statement up to its semicolon. order is "ordered" where
-- ORDER BY fixes the place of every row, "any" where it fixes none, "keys 2 3" where it fixes the sequence of these
-- columns' values alone. Texts that are equal by their collation and differ in their letters never stand for each other
-- in what is selected: one server may choose either of them.

-- user: all orders | ordered
SELECT * FROM t_order WHERE user_id = 42 ORDER BY created_at DESC, order_id DESC;
-- user: latest hundred | ordered
SELECT order_id, merchant_id, status, channel, amount, note, created_at FROM t_order WHERE user_id = 77
 ORDER BY created_at DESC, order_id LIMIT 100;
-- user: of a status | any
SELECT order_id, amount, discount FROM t_order WHERE user_id = 1000 AND status IN (1, 2);
-- user: profile | any
SELECT * FROM t_user WHERE user_id = 4711;
-- user: one order with items | ordered
SELECT o.order_id, o.amount, i.item_id, i.sku, i.qty, i.price, i.qty * i.price AS total FROM t_order o
 LEFT JOIN t_order_item i ON i.user_id = o.user_id AND i.order_id = o.order_id WHERE o.user_id = 12
 ORDER BY o.order_id, i.item_id;
-- user: counts and sums | any
SELECT COUNT(*), SUM(amount), AVG(amount), MIN(created_at), MAX(created_at) FROM t_order WHERE user_id = 5;
-- user: by status | ordered
SELECT status, COUNT(*) AS orders, SUM(amount) AS total FROM t_order WHERE user_id = 5 GROUP BY status
 HAVING orders > 1 ORDER BY total DESC, status;
-- user: with merchants | ordered
SELECT o.order_id, m.name, m.city FROM t_order o JOIN t_merchant m ON m.merchant_id = o.merchant_id
 WHERE o.user_id = 33 ORDER BY o.order_id;
-- user: nobody | any
SELECT * FROM t_order WHERE user_id = 34000000;
-- user: running totals | ordered
SELECT order_id, SUM(amount) OVER (ORDER BY created_at, order_id) AS so_far FROM t_order WHERE user_id = 8
 ORDER BY created_at, order_id;
-- user: dearer than their average | ordered
SELECT order_id, amount FROM t_order o WHERE user_id = 9
 AND amount > (SELECT AVG(amount) FROM t_order WHERE user_id = 9) ORDER BY order_id;
-- user: without items | ordered
SELECT order_id FROM t_order o WHERE user_id = 10
 AND NOT EXISTS (SELECT 1 FROM t_order_item i WHERE i.user_id = o.user_id AND i.order_id = o.order_id) ORDER BY order_id;
-- user: distinct channels | ordered
SELECT DISTINCT channel FROM t_order WHERE user_id = 11 ORDER BY channel;
-- user: union of orders and items | ordered
SELECT order_id AS id, amount FROM t_order WHERE user_id = 14 UNION ALL
 SELECT item_id, price FROM t_order_item WHERE user_id = 14 ORDER BY id, amount;
-- user: orders per month | ordered
SELECT DATE_FORMAT(created_at, '%Y-%m') AS month, COUNT(*) FROM t_order WHERE user_id = 15 GROUP BY month ORDER BY month;
-- merchants by name | ordered
SELECT * FROM t_merchant ORDER BY name, merchant_id;
-- settings | ordered
SELECT name, value FROM t_setting ORDER BY name;
-- several users: their orders | ordered
SELECT user_id, order_id, status, amount FROM t_order WHERE user_id IN (1, 2, 3, 4, 5, 6, 7, 8) ORDER BY order_id;
-- several users: their names | ordered
SELECT user_id, name, level FROM t_user WHERE user_id IN (17, 34, 51, 400, 401, 402, 999999) ORDER BY name, user_id;
-- merchant: latest of a status | ordered
SELECT order_id, user_id, amount, created_at FROM t_order WHERE merchant_id = 7 AND status = 1
 ORDER BY created_at DESC, order_id DESC LIMIT 20;
-- merchant: hot one, latest | ordered
SELECT * FROM t_order WHERE merchant_id = 1 AND status = 1 ORDER BY created_at DESC, order_id DESC LIMIT 20;
-- merchant: second page | ordered
SELECT order_id, created_at FROM t_order WHERE merchant_id = 1 AND status = 2 ORDER BY created_at, order_id LIMIT 200, 20;
-- merchant: deep page | ordered
SELECT order_id FROM t_order WHERE merchant_id = 1 ORDER BY order_id LIMIT 30000, 50;
-- merchant: all in no order | any
SELECT order_id, user_id, channel, note FROM t_order WHERE merchant_id = 5;
-- merchant: count and sum | any
SELECT COUNT(*), SUM(amount), MIN(amount), MAX(amount), AVG(amount) FROM t_order WHERE merchant_id = 2;
-- merchant: count of discounts | any
SELECT COUNT(discount), SUM(discount), AVG(discount), MAX(discount) FROM t_order WHERE merchant_id = 3;
-- merchant: by status | ordered
SELECT status, COUNT(*), SUM(amount) FROM t_order WHERE merchant_id = 1 GROUP BY status ORDER BY status;
-- merchant: by channel | ordered
SELECT channel, COUNT(*) AS orders, AVG(amount) FROM t_order WHERE merchant_id = 3 GROUP BY channel ORDER BY channel;
-- merchant: none has this one | any
SELECT COUNT(*), SUM(amount), MAX(note) FROM t_order WHERE merchant_id = 9999;
-- merchant: by texts of the note | any
SELECT COUNT(*), SUM(amount), AVG(discount) FROM t_order WHERE merchant_id = 1 GROUP BY note;
-- merchant: by order id | any
SELECT user_id, order_id, amount FROM t_order WHERE order_id = 123456;
-- merchant: by some order ids | ordered
SELECT order_id, status FROM t_order WHERE order_id IN (1, 1000, 55555, 200000, 200001) ORDER BY order_id DESC;
-- merchant: top by orders | ordered
SELECT merchant_id, COUNT(*) AS orders FROM t_order GROUP BY merchant_id ORDER BY orders DESC, merchant_id LIMIT 15;
-- merchant: top by sum, second page | ordered
SELECT merchant_id, SUM(amount) AS total, COUNT(*) FROM t_order WHERE status = 1 GROUP BY merchant_id
 ORDER BY total DESC, merchant_id LIMIT 10, 10;
-- merchant: orders joined with its name | ordered
SELECT o.order_id, m.name, m.city, o.amount FROM t_order o JOIN t_merchant m ON m.merchant_id = o.merchant_id
 WHERE o.merchant_id IN (11, 12) AND o.status = 2 ORDER BY m.name, o.order_id;
-- time: a day in order | ordered
SELECT order_id, user_id, created_at, updated_at FROM t_order
 WHERE created_at >= '2025-03-01' AND created_at < '2025-03-02' ORDER BY created_at, order_id;
-- time: a week in no order | any
SELECT user_id, order_id, amount FROM t_order WHERE created_at BETWEEN '2025-05-01' AND '2025-05-07 23:59:59.999999';
-- time: a month counted | any
SELECT COUNT(*), SUM(amount), MIN(order_id), MAX(created_at) FROM t_order
 WHERE created_at >= '2025-04-01' AND created_at < '2025-05-01';
-- time: a month by status and channel | ordered
SELECT status, channel, COUNT(*), SUM(amount), AVG(amount) FROM t_order
 WHERE created_at >= '2025-06-01' AND created_at < '2025-07-01' GROUP BY status, channel ORDER BY status, channel DESC;
-- time: by merchant in a week | ordered
SELECT merchant_id, COUNT(*), SUM(amount) FROM t_order WHERE created_at >= '2025-02-01' AND created_at < '2025-02-08'
 GROUP BY merchant_id ORDER BY merchant_id;
-- time: nothing in a year | ordered
SELECT * FROM t_order WHERE created_at >= '2031-01-01' ORDER BY created_at;
-- time: hour with ties | keys 2
SELECT order_id, created_at FROM t_order WHERE created_at >= '2025-03-03' AND created_at < '2025-03-05' ORDER BY created_at;
-- time: expressions in the list | ordered
SELECT order_id, DATE(created_at) AS day, amount * 2 AS twice, CONCAT(merchant_id, '/', status) AS place FROM t_order
 WHERE created_at >= '2025-07-01' AND created_at < '2025-07-02' ORDER BY order_id;
-- join: users of a city and their orders | ordered
SELECT u.user_id, u.name, o.order_id, o.amount FROM t_user u JOIN t_order o ON o.user_id = u.user_id
 WHERE u.city = 'Riga' AND o.status = 5 ORDER BY u.user_id, o.order_id;
-- join: users without orders keep their row | ordered
SELECT u.user_id, u.level, o.order_id, o.channel FROM t_user u LEFT JOIN t_order o ON o.user_id = u.user_id
 WHERE u.user_id BETWEEN 30 AND 120 AND u.level = 'gold' ORDER BY u.user_id, o.order_id;
-- join: users that have none | ordered
SELECT u.user_id, u.name FROM t_user u LEFT JOIN t_order o ON o.user_id = u.user_id
 WHERE o.order_id IS NULL AND u.birthday < '1960-01-01' ORDER BY u.name, u.user_id;
-- join: three tables | ordered
SELECT u.name, o.order_id, i.item_id, i.sku, i.price FROM t_user u JOIN t_order o ON o.user_id = u.user_id
 JOIN t_order_item i ON i.user_id = o.user_id AND i.order_id = o.order_id
 WHERE o.merchant_id = 21 AND o.status = 3 ORDER BY i.item_id;
-- join: orders without items | ordered
SELECT o.order_id, i.item_id FROM t_order o LEFT JOIN t_order_item i ON i.user_id = o.user_id AND i.order_id = o.order_id
 WHERE o.merchant_id = 30 AND i.item_id IS NULL ORDER BY o.order_id;
-- join: sums of items per merchant | ordered
SELECT o.merchant_id, COUNT(*), SUM(i.qty), SUM(i.price), AVG(i.price) FROM t_order o
 JOIN t_order_item i ON i.user_id = o.user_id AND i.order_id = o.order_id
 WHERE o.merchant_id BETWEEN 40 AND 60 GROUP BY o.merchant_id ORDER BY o.merchant_id;
-- join: sums per user | ordered
SELECT u.user_id, COUNT(o.order_id) AS orders, SUM(o.amount) AS total FROM t_user u LEFT JOIN t_order o
 ON o.user_id = u.user_id WHERE u.user_id BETWEEN 1000 AND 1100 GROUP BY u.user_id ORDER BY total DESC, u.user_id LIMIT 25;
-- join: by the merchant's city | any
SELECT COUNT(*), SUM(o.amount) FROM t_order o LEFT JOIN t_merchant m ON m.merchant_id = o.merchant_id GROUP BY m.city;
-- top: dearest orders | ordered
SELECT order_id, amount FROM t_order ORDER BY amount DESC, order_id LIMIT 50;
-- top: cheapest by ENUM | ordered
SELECT channel, amount, order_id FROM t_order ORDER BY channel, amount, order_id LIMIT 40;
-- top: by text and its ties | ordered
SELECT note, order_id FROM t_order WHERE merchant_id = 2 ORDER BY note, order_id LIMIT 300;
-- top: by text downwards | ordered
SELECT note, order_id FROM t_order WHERE merchant_id = 4 ORDER BY note DESC, order_id DESC;
-- top: names of users | ordered
SELECT name, user_id FROM t_user ORDER BY name, user_id LIMIT 500, 100;
-- top: by city and name, NULLs first | ordered
SELECT city, name, user_id FROM t_user WHERE user_id % 50 = 0 ORDER BY city, name DESC, user_id;
-- top: by FLOAT | ordered
SELECT score, user_id FROM t_user ORDER BY score DESC, user_id LIMIT 60;
-- top: by birthday | ordered
SELECT birthday, level, user_id FROM t_user ORDER BY birthday, level DESC, user_id LIMIT 80;
-- top: sorted by what is not shown | ordered
SELECT order_id, note FROM t_order WHERE merchant_id = 6 ORDER BY amount, created_at DESC, order_id;
-- top: heaviest users | ordered
SELECT user_id, SUM(amount) AS total, COUNT(*) FROM t_order GROUP BY user_id ORDER BY total DESC, user_id LIMIT 30;
-- counts: all orders | any
SELECT COUNT(*) FROM t_order;
-- counts: users and levels | ordered
SELECT level, COUNT(*), COUNT(phone), MIN(birthday), MAX(birthday) FROM t_user GROUP BY level ORDER BY level;
-- counts: distinct merchants seen | ordered
SELECT DISTINCT merchant_id FROM t_order WHERE status = -1 ORDER BY merchant_id DESC;
-- counts: distinct pairs | ordered
SELECT DISTINCT status, channel FROM t_order ORDER BY status, channel;
-- counts: distinct discounts | ordered
SELECT DISTINCT discount FROM t_order WHERE merchant_id = 8 ORDER BY discount;
-- counts: users of the distinct kind | any
SELECT COUNT(DISTINCT user_id) FROM t_order;
-- counts: items by qty | ordered
SELECT qty, COUNT(*), MIN(price), MAX(price), SUM(price), AVG(qty) FROM t_order_item GROUP BY qty ORDER BY qty;
-- counts: with a condition on text | any
SELECT COUNT(*), MIN(phone), MAX(phone) FROM t_user WHERE name LIKE 'jos%' OR city = 'malmo';
-- counts: groups in no order | any
SELECT merchant_id, status, COUNT(*) FROM t_order WHERE merchant_id < 12 GROUP BY merchant_id, status;
