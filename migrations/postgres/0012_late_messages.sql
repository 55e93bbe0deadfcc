-- Messages that fail by themselves, while their platform takes others: what follows them in their chat goes out past them.

-- Since when; NULL: it is not late.
ALTER TABLE messages ADD COLUMN late_since BIGINT;
