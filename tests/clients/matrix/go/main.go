// go-sql-driver against Shardway: main HOST PORT TLS USER_ID, see ../../README.md for what it prints.
package main

import (
	"database/sql"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	_ "github.com/go-sql-driver/mysql"
)

const note = "caf\u00e9 \u4f60\u597d 'quoted' \\ back"

var at = time.Date(2026, 1, 31, 12, 30, 45, 123456000, time.UTC)

func expect(seen, expected interface{}) error {
	if fmt.Sprint(seen) != fmt.Sprint(expected) {
		return fmt.Errorf("%v instead of %v", seen, expected)
	}
	return nil
}

func affected(result sql.Result, err error, expected int64) error {
	if err != nil {
		return err
	}
	rows, err := result.RowsAffected()
	if err != nil {
		return err
	}
	return expect(rows, expected)
}

func step(name string, work func() error) bool {
	if err := work(); err != nil {
		fmt.Printf("%s\tFAILED\t%s\n", name, strings.ReplaceAll(err.Error(), "\n", " "))
		return false
	}
	fmt.Printf("%s\tok\n", name)
	return true
}

func open(interpolate bool) (*sql.DB, error) {
	tls := "false"
	if os.Args[3] == "tls" {
		tls = "skip-verify"
	}
	dsn := fmt.Sprintf("app:app@tcp(%s:%s)/shop?parseTime=true&tls=%s&interpolateParams=%v", os.Args[1], os.Args[2], tls, interpolate)
	db, err := sql.Open("mysql", dsn)
	if err == nil {
		db.SetMaxOpenConns(1)
	}
	return db, err
}

func orders(db *sql.DB, user int64) ([]int64, error) {
	rows, err := db.Query("SELECT order_id FROM t_order WHERE user_id = ? ORDER BY order_id", user)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var found []int64
	for rows.Next() {
		var order int64
		if err := rows.Scan(&order); err != nil {
			return nil, err
		}
		found = append(found, order)
	}
	return found, rows.Err()
}

func main() {
	user, _ := strconv.ParseInt(os.Args[4], 10, 64)
	db, err := open(true)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	defer db.Close()
	wanted := []int64{user * 10, user*10 + 1, user*10 + 2}

	ok := step("login", func() error {
		var name string
		if err := db.QueryRow("SELECT DATABASE()").Scan(&name); err != nil {
			return err
		}
		return expect(name, "shop")
	})
	if !ok {
		return
	}
	step("insert", func() error {
		const insert = "INSERT INTO t_order (user_id, order_id, merchant_id, status, amount, note, created_at) VALUES (?, ?, 7, 1, '19.90', ?, ?)"
		for _, order := range wanted {
			result, err := db.Exec(insert, user, order, note, at)
			if err := affected(result, err, 1); err != nil {
				return err
			}
		}
		return nil
	})
	step("read", func() error {
		found, err := orders(db, user)
		if err != nil {
			return err
		}
		if err := expect(found, wanted); err != nil {
			return err
		}
		var amount, text string
		var created time.Time
		err = db.QueryRow("SELECT amount, note, created_at FROM t_order WHERE user_id = ? AND order_id = ?", user, wanted[0]).Scan(&amount, &text, &created)
		if err != nil {
			return err
		}
		return expect([]interface{}{amount, text, created}, []interface{}{"19.90", note, at})
	})
	step("update", func() error {
		result, err := db.Exec("UPDATE t_order SET status = 2 WHERE user_id = ? AND order_id = ?", user, wanted[0])
		if err := affected(result, err, 1); err != nil {
			return err
		}
		tx, err := db.Begin()
		if err != nil {
			return err
		}
		result, err = tx.Exec("DELETE FROM t_order WHERE user_id = ?", user)
		if err := affected(result, err, 3); err != nil {
			return err
		}
		if err := tx.Rollback(); err != nil {
			return err
		}
		var left int64
		if err := db.QueryRow("SELECT COUNT(*) FROM t_order WHERE user_id = ? AND status = 2", user).Scan(&left); err != nil {
			return err
		}
		return expect(left, 1)
	})
	step("prepare", func() error {
		prepared, err := open(false)
		if err != nil {
			return err
		}
		defer prepared.Close()
		found, err := orders(prepared, user)
		if err != nil {
			return err
		}
		return expect(found, wanted)
	})
}
