#include "middleware/protocol/collations.hpp"

namespace shardway::protocol {

// As MySQL 9.7 lists them in information_schema.COLLATIONS; 8.0 has the same numbers.
constinit const std::string_view mysql_collations = R"(
armscii8/1 *32_general_ci 64_bin
ascii/1 *11_general_ci 65_bin
big5/2 *1_chinese_ci 84_bin
binary/1 *-63=binary
cp1250/1 *26_general_ci 34_czech_cs 44_croatian_ci 66_bin 99_polish_ci
cp1251/1 14_bulgarian_ci 23_ukrainian_ci 50_bin *51_general_ci 52_general_cs
cp1256/1 *57_general_ci 67_bin
cp1257/1 29_lithuanian_ci 58_bin *59_general_ci
cp850/1 *4_general_ci 80_bin
cp852/1 *40_general_ci 81_bin
cp866/1 *36_general_ci 68_bin
cp932/2 *95_japanese_ci 96_bin
dec8/1 *3_swedish_ci 69_bin
eucjpms/3 *97_japanese_ci 98_bin
euckr/2 *19_korean_ci 85_bin
gb18030/4 *248_chinese_ci 249_bin 250_unicode_520_ci
gb2312/2 *24_chinese_ci 86_bin
gbk/2 *28_chinese_ci 87_bin
geostd8/1 *92_general_ci 93_bin
greek/1 *25_general_ci 70_bin
hebrew/1 *16_general_ci 71_bin
hp8/1 *6_english_ci 72_bin
keybcs2/1 *37_general_ci 73_bin
koi8r/1 *7_general_ci 74_bin
koi8u/1 *22_general_ci 75_bin
latin1/1 5_german1_ci *8_swedish_ci 15_danish_ci 31_german2_ci 47_bin 48_general_ci 49_general_cs
   94_spanish_ci
latin2/1 2_czech_cs *9_general_ci 21_hungarian_ci 27_croatian_ci 77_bin
latin5/1 *30_turkish_ci 78_bin
latin7/1 20_estonian_cs *41_general_ci 42_general_cs 79_bin
macce/1 *38_general_ci 43_bin
macroman/1 *39_general_ci 53_bin
sjis/2 *13_japanese_ci 88_bin
swe7/1 *10_swedish_ci 82_bin
tis620/1 *18_thai_ci 89_bin
ucs2/2 *35_general_ci 90_bin 128_unicode_ci 129_icelandic_ci 130_latvian_ci 131_romanian_ci 132_slovenian_ci
   133_polish_ci 134_estonian_ci 135_spanish_ci 136_swedish_ci 137_turkish_ci 138_czech_ci 139_danish_ci
   140_lithuanian_ci 141_slovak_ci 142_spanish2_ci 143_roman_ci 144_persian_ci 145_esperanto_ci
   146_hungarian_ci 147_sinhala_ci 148_german2_ci 149_croatian_ci 150_unicode_520_ci 151_vietnamese_ci
   159_general_mysql500_ci
ujis/3 *12_japanese_ci 91_bin
utf16/4 *54_general_ci 55_bin 101_unicode_ci 102_icelandic_ci 103_latvian_ci 104_romanian_ci
   105_slovenian_ci 106_polish_ci 107_estonian_ci 108_spanish_ci 109_swedish_ci 110_turkish_ci 111_czech_ci
   112_danish_ci 113_lithuanian_ci 114_slovak_ci 115_spanish2_ci 116_roman_ci 117_persian_ci
   118_esperanto_ci 119_hungarian_ci 120_sinhala_ci 121_german2_ci 122_croatian_ci 123_unicode_520_ci
   124_vietnamese_ci
utf16le/4 *56_general_ci 62_bin
utf32/4 *60_general_ci 61_bin 160_unicode_ci 161_icelandic_ci 162_latvian_ci 163_romanian_ci
   164_slovenian_ci 165_polish_ci 166_estonian_ci 167_spanish_ci 168_swedish_ci 169_turkish_ci 170_czech_ci
   171_danish_ci 172_lithuanian_ci 173_slovak_ci 174_spanish2_ci 175_roman_ci 176_persian_ci
   177_esperanto_ci 178_hungarian_ci 179_sinhala_ci 180_german2_ci 181_croatian_ci 182_unicode_520_ci
   183_vietnamese_ci
utf8mb3/3 *33_general_ci 76_tolower_ci 83_bin 192_unicode_ci 193_icelandic_ci 194_latvian_ci 195_romanian_ci
   196_slovenian_ci 197_polish_ci 198_estonian_ci 199_spanish_ci 200_swedish_ci 201_turkish_ci 202_czech_ci
   203_danish_ci 204_lithuanian_ci 205_slovak_ci 206_spanish2_ci 207_roman_ci 208_persian_ci
   209_esperanto_ci 210_hungarian_ci 211_sinhala_ci 212_german2_ci 213_croatian_ci 214_unicode_520_ci
   215_vietnamese_ci 223_general_mysql500_ci
utf8mb4/4 45_general_ci 46_bin 224_unicode_ci 225_icelandic_ci 226_latvian_ci 227_romanian_ci
   228_slovenian_ci 229_polish_ci 230_estonian_ci 231_spanish_ci 232_swedish_ci 233_turkish_ci 234_czech_ci
   235_danish_ci 236_lithuanian_ci 237_slovak_ci 238_spanish2_ci 239_roman_ci 240_persian_ci
   241_esperanto_ci 242_hungarian_ci 243_sinhala_ci 244_german2_ci 245_croatian_ci 246_unicode_520_ci
   247_vietnamese_ci *-255_0900_ai_ci -256_de_pb_0900_ai_ci -257_is_0900_ai_ci -258_lv_0900_ai_ci
   -259_ro_0900_ai_ci -260_sl_0900_ai_ci -261_pl_0900_ai_ci -262_et_0900_ai_ci -263_es_0900_ai_ci
   -264_sv_0900_ai_ci -265_tr_0900_ai_ci -266_cs_0900_ai_ci -267_da_0900_ai_ci -268_lt_0900_ai_ci
   -269_sk_0900_ai_ci -270_es_trad_0900_ai_ci -271_la_0900_ai_ci -273_eo_0900_ai_ci -274_hu_0900_ai_ci
   -275_hr_0900_ai_ci -277_vi_0900_ai_ci -278_0900_as_cs -279_de_pb_0900_as_cs -280_is_0900_as_cs
   -281_lv_0900_as_cs -282_ro_0900_as_cs -283_sl_0900_as_cs -284_pl_0900_as_cs -285_et_0900_as_cs
   -286_es_0900_as_cs -287_sv_0900_as_cs -288_tr_0900_as_cs -289_cs_0900_as_cs -290_da_0900_as_cs
   -291_lt_0900_as_cs -292_sk_0900_as_cs -293_es_trad_0900_as_cs -294_la_0900_as_cs -296_eo_0900_as_cs
   -297_hu_0900_as_cs -298_hr_0900_as_cs -300_vi_0900_as_cs -303_ja_0900_as_cs -304_ja_0900_as_cs_ks
   -305_0900_as_ci -306_ru_0900_ai_ci -307_ru_0900_as_cs -308_zh_0900_as_cs -309_0900_bin -310_nb_0900_ai_ci
   -311_nb_0900_as_cs -312_nn_0900_ai_ci -313_nn_0900_as_cs -314_sr_latn_0900_ai_ci -315_sr_latn_0900_as_cs
   -316_bs_0900_ai_ci -317_bs_0900_as_cs -318_bg_0900_ai_ci -319_bg_0900_as_cs -320_gl_0900_ai_ci
   -321_gl_0900_as_cs -322_mn_cyrl_0900_ai_ci -323_mn_cyrl_0900_as_cs
)";

}  // namespace shardway::protocol
