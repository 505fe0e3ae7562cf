"""Tables that the tests of questions ask about."""

from __future__ import annotations

from typing import Any

Row = dict[str, Any]
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
NAMES = ("Ana Ruiz", "Ben Okoro", "Cleo Marsh", "Dan Frost", "Eva Stone")
LOANS: list[Row] = [
    {
        "LoanID": f"L-{100 + i:04}",
        "Member": NAMES[i % 5],
        "Genre": ("Crime", "Travel", "Science")[i % 3],
        "loaned_on": f"2026-{i % 5 + 1:02}-{i % 27 + 1:02}",
        "returned_on": None if i % 4 == 0 else f"2026-06-{i % 9 + 1:02}",
        "days_out": i % 19 + 1,
        "fine_gbp": 0.0 if i % 3 else i / 10,
        "Renewed": "Y" if i % 5 < 2 else "N",
        "copies": i % 4 + 1,
    }
    for i in range(48)
]
BILLS: list[Row] = [
    {
        "BillMonth": f"{MONTHS[i % 12]} {2024 + i // 12}",
        "Electricity kWh": 300 + 7 * i % 90,
        "cost_eur": 90.5 + i,
    }
    for i in range(29)
]
ORDERS_ZH: list[Row] = [
    {
        "订单号": f"DD{i:05}",
        "门店": ("城东店", "滨江店")[i % 2],
        "商品": ("红茶", "咖啡", "牛奶")[i % 3],
        "重量(公斤)": i % 7 + 1,
        "金额(元)": i * 3 % 50 + 5,
        "是否会员": "是" if i % 4 else "否",
        "日期": f"2026-{i % 5 + 1:02}-{i % 28 + 1:02}",
    }
    for i in range(60)
]
SALES: list[Row] = [
    {
        "Order Date": f"2025-{m:02}-{d:02}",
        "Region": ("North", "South", "West")[(m + d) % 3],
        "Product": ("Tea", "Coffee", "Milk")[(m * d) % 3],
        "Units": (m * 7 + d * 3) % 40 + 1,
        "Revenue (USD)": ((m * 7 + d * 3) % 40 + 1) * 10.0,
    }
    for m in range(1, 13)
    for d in (3, 14, 25)
]
CITIES_ZH: list[Row] = [
    {"城市": c, "日期": f"2024-{m:02}-01", "销售额": m * 10 + k, "数量": m + k}
    for k, c in enumerate(("北京", "上海", "广州"))
    for m in range(1, 13)
]
RUNS: list[Row] = [
    {
        "Bib": 100 + i, "Runner": f"{('Ana', 'Ben', 'Cleo', 'Dan')[i % 4]} {('Ruiz', 'Okoro', 'Marsh', 'Frost', 'Stone')[i % 5]}",
        "Country": ("Spain", "Norway", "Kenya")[i % 3], "Age": 20 + i, "finish_time_min": 150.5 + 7 * (i * 5 % 20),
        "Status": ("OK", "OK", "OK", "DNF")[i % 4], "Visits last month": i % 6, "Weather": ("rain", "sun")[i % 2],
    }
    for i in range(40)
]  # fmt: skip
TICKETS: list[Row] = [
    {
        "Ticket": f"T-{500 + i}", "opened": f"2026-{i % 5 + 1:02}-{i % 27 + 1:02}", "Status": ("open", "pending", "closed")[i % 3],
        "Agent": ("Mia", "Noah", "Zoe")[i * 7 % 3], "Paid (EUR)": 12.5 + i % 9, "Pets OK": "yes" if i % 4 else "no", "score": "abs" if i % 10 == 3 else str(i % 7),
    }
    for i in range(60)
]  # fmt: skip
HENS: list[Row] = [
    {"date": f"2026-05-{i // 2 + 1:02}", "shed": ("一号舍", "二号舍")[i % 2], "hens": 200 - i, "eggs": 150 + i * 3 % 40, "deaths": i % 3, "feed_kg": 20.0 + i % 5}
    for i in range(40)
]  # fmt: skip
PRICES: list[Row] = [
    {"date": "2024-10-14", "open": 228.70, "high": 231.73, "low": 228.60, "close": 231.30, "volume": 39882100},
    {"date": "2024-10-15", "open": 233.61, "high": 237.49, "low": 232.37, "close": 233.85, "volume": 64751400},
    {"date": "2024-10-16", "open": 231.60, "high": 232.12, "low": 229.84, "close": 231.78, "volume": 34082200},
    {"date": "2024-10-17", "open": 233.43, "high": 233.85, "low": 230.52, "close": 232.15, "volume": 32993800},
]  # fmt: skip
CALLED = {"date": "日期", "open": "开盘价", "high": "最高价", "low": "最低价", "close": "收盘价"}
PRICES_ZH: list[Row] = [{name: price[key] for key, name in CALLED.items()} for price in PRICES]
MACRO: list[Row] = [
    {"year": y, "quarter": q, "infl": (y * 7 + q * 3) % 11 - 1.5, "unemp": 4 + (y * 3 + q) % 5 / 2}
    for y in range(1980, 2010)
    for q in (1, 2, 3, 4)
]
REGIONS: list[Row] = [
    {"region": region, "month": f"2024-{m:02}-01", "sales": 10 * m + i}
    for m in range(1, 13)
    for i, region in enumerate(("Nord", "Süd", "West"))
]
SOLD_JA: list[Row] = [
    {"商品": "りんご", "売上": 1200, "数量": 3, "店舗": "東京"},
    {"商品": "みかん", "売上": 800, "数量": 5, "店舗": "大阪"},
    {"商品": "バナナ", "売上": 300, "数量": 9, "店舗": "東京"},
    {"商品": "りんご", "売上": 700, "数量": 2, "店舗": "福岡"},
]
