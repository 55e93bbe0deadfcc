//! Times in the other languages of the catalogues.

use super::*;

#[test]
fn a_time_is_read_in_each_language_of_the_catalogues() {
    let cases = [
        ("dentro de 20 minutos", "Wed 2026-06-03 10:27:30"),
        ("en una hora y media", "Wed 2026-06-03 11:37:30"),
        ("en 2 horas y 30 minutos", "Wed 2026-06-03 12:37:30"),
        ("en media hora", "Wed 2026-06-03 10:37:30"),
        ("mañana a las 8", "Thu 2026-06-04 08:00:00"),
        ("manana a las 8 y media de la tarde", "Thu 2026-06-04 20:30:00"),
        ("el lunes a las 14:00", "Mon 2026-06-08 14:00:00"),
        ("el lunes que viene a las 9", "Mon 2026-06-08 09:00:00"),
        ("la semana que viene", "Wed 2026-06-10 09:00:00"),
        ("el 24 de diciembre a las 18:00", "Thu 2026-12-24 18:00:00"),
        ("dans 20 minutes", "Wed 2026-06-03 10:27:30"),
        ("dans une heure et demie", "Wed 2026-06-03 11:37:30"),
        ("dans 2 jours et 3 heures", "Fri 2026-06-05 13:07:30"),
        ("dans une demi-heure", "Wed 2026-06-03 10:37:30"),
        ("demain à 8h30", "Thu 2026-06-04 08:30:00"),
        ("demain à 8 heures 30", "Thu 2026-06-04 08:30:00"),
        ("après-demain à midi", "Fri 2026-06-05 12:00:00"),
        ("lundi prochain à 14h", "Mon 2026-06-08 14:00:00"),
        ("le 24 décembre à 18 h", "Thu 2026-12-24 18:00:00"),
        ("daqui a 20 minutos", "Wed 2026-06-03 10:27:30"),
        ("em uma hora e meia", "Wed 2026-06-03 11:37:30"),
        ("amanhã às 8 e meia", "Thu 2026-06-04 08:30:00"),
        ("segunda-feira às 14h", "Mon 2026-06-08 14:00:00"),
        ("hoje à noite", "Wed 2026-06-03 19:00:00"),
        ("semana que vem", "Wed 2026-06-10 09:00:00"),
        ("через 20 минут", "Wed 2026-06-03 10:27:30"),
        ("через час", "Wed 2026-06-03 11:07:30"),
        ("через полтора часа", "Wed 2026-06-03 11:37:30"),
        ("через два с половиной часа", "Wed 2026-06-03 12:37:30"),
        ("через 2 дня и 3 часа", "Fri 2026-06-05 13:07:30"),
        ("завтра в 8 утра", "Thu 2026-06-04 08:00:00"),
        ("завтра в 8 часов вечера", "Thu 2026-06-04 20:00:00"),
        ("в понедельник в 14:00", "Mon 2026-06-08 14:00:00"),
        ("24 декабря в 18:00", "Thu 2026-12-24 18:00:00"),
        ("20分钟后", "Wed 2026-06-03 10:27:30"),
        ("一个半小时后", "Wed 2026-06-03 11:37:30"),
        ("2小时30分钟后", "Wed 2026-06-03 12:37:30"),
        ("半小时后", "Wed 2026-06-03 10:37:30"),
        ("明天早上8点", "Thu 2026-06-04 08:00:00"),
        ("明天下午三点半", "Thu 2026-06-04 15:30:00"),
        ("下周一上午9点", "Mon 2026-06-08 09:00:00"),
        ("12月24日18:00", "Thu 2026-12-24 18:00:00"),
        ("20分後", "Wed 2026-06-03 10:27:30"),
        ("1時間半後", "Wed 2026-06-03 11:37:30"),
        ("2時間30分後に", "Wed 2026-06-03 12:37:30"),
        ("３日後", "Sat 2026-06-06 10:07:30"),
        ("明日の8時", "Thu 2026-06-04 08:00:00"),
        ("明日の午後3時半", "Thu 2026-06-04 15:30:00"),
        ("月曜日の14時15分に", "Mon 2026-06-08 14:15:00"),
        ("12月24日の18時", "Thu 2026-12-24 18:00:00"),
    ];
    for (when, expected) in cases {
        assert_eq!(reads(when, None), Ok((expected.to_owned(), None)), "{when}");
    }
    let cases = [
        ("cada día a las 8", "0 8 * * *"),
        ("todos los lunes y jueves a las 9", "0 9 * * 1,4"),
        ("cada 2 horas", "7 */2 * * *"),
        ("tous les jours à 8h", "0 8 * * *"),
        ("chaque lundi à 9 heures", "0 9 * * 1"),
        ("en semaine à 8h", "0 8 * * 1-5"),
        ("todos os dias às 8", "0 8 * * *"),
        ("toda segunda-feira às 9", "0 9 * * 1"),
        ("a cada 2 horas", "7 */2 * * *"),
        ("каждый день в 8", "0 8 * * *"),
        ("по понедельникам в 9 утра", "0 9 * * 1"),
        ("каждые 2 часа", "7 */2 * * *"),
        ("每天早上8点", "0 8 * * *"),
        ("每周一9点", "0 9 * * 1"),
        ("每2小时", "7 */2 * * *"),
        ("毎日8時", "0 8 * * *"),
        ("毎週月曜日9時", "0 9 * * 1"),
        ("2時間ごとに", "7 */2 * * *"),
    ];
    for (when, cron) in cases {
        let read = reads(when, None).map(|(_, cron)| cron);
        assert_eq!(read, Ok(Some(cron.to_owned())), "{when}");
    }
    for when in [
        "mañana o pasado",
        "dans un moment",
        "logo",
        "когда-нибудь",
        "改天",
        "いつか",
        "在",
        "の",
    ] {
        assert_eq!(
            reads(when, None),
            Err(format!("`{when}` is no time that I understand. {FORMS}")),
            "{when}"
        );
    }
}

proptest::proptest! {
    #[test]
    fn any_text_is_put_into_english_or_not(text in "\\PC{0,60}|[一二十月日時点半分後毎每周ー0-9: ]{0,20}") {
        let _ = reads(&text, None);
    }
}
