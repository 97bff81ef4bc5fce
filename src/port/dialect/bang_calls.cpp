#include "port/dialect/bang_calls.hpp"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

namespace tqm::port::dialect {

namespace {

// Of the 3.0 headers.
constexpr std::string_view kOfHeaders = R"(
    __assert __assert_fail __bang_active_abs __bang_active_cos __bang_active_exp __bang_active_exp_less_0
    __bang_active_exphp __bang_active_f16 __bang_active_f32 __bang_active_gelu __bang_active_gelup __bang_active_log
    __bang_active_loghp __bang_active_pow2 __bang_active_recip __bang_active_recip_greater_1 __bang_active_reciphp
    __bang_active_relu __bang_active_rsqrt __bang_active_rsqrthp __bang_active_sigmoid __bang_active_sigmoid_hp
    __bang_active_sign __bang_active_sin __bang_active_sqrt __bang_active_sqrthp __bang_active_tanh __bang_add
    __bang_add_const __bang_add_scalar __bang_add_tz __bang_and __bang_and_scalar __bang_argmax __bang_argmin
    __bang_atomic_add __bang_atomic_and __bang_atomic_cas __bang_atomic_dec __bang_atomic_exch __bang_atomic_inc
    __bang_atomic_max __bang_atomic_min __bang_atomic_or __bang_atomic_reduce_add __bang_atomic_reduce_and
    __bang_atomic_reduce_cas __bang_atomic_reduce_dec __bang_atomic_reduce_exch __bang_atomic_reduce_inc
    __bang_atomic_reduce_max __bang_atomic_reduce_min __bang_atomic_reduce_or __bang_atomic_reduce_xor
    __bang_atomic_xor __bang_avgpool __bang_avgpool_bp __bang_band __bang_band_scalar __bang_bexpand
    __bang_bfloat162float_dn __bang_bfloat162float_oz __bang_bfloat162float_rd __bang_bfloat162float_rm
    __bang_bfloat162float_rn __bang_bfloat162float_tz __bang_bfloat162float_up __bang_bfloat162int4_dn
    __bang_bfloat162int4_oz __bang_bfloat162int4_rd __bang_bfloat162int4_rm __bang_bfloat162int4_rn
    __bang_bfloat162int4_tz __bang_bfloat162int4_up __bang_bnot __bang_bor __bang_bor_scalar __bang_breduce
    __bang_bxor __bang_bxor_scalar __bang_char2int __bang_char2short __bang_collect __bang_collect_bitindex
    __bang_conv __bang_conv_partial __bang_conv_sparse __bang_cos __bang_count __bang_count_bitindex
    __bang_cycle_add __bang_cycle_add_tz __bang_cycle_and __bang_cycle_band __bang_cycle_bor __bang_cycle_bxor
    __bang_cycle_eq __bang_cycle_ge __bang_cycle_gt __bang_cycle_le __bang_cycle_lt __bang_cycle_maxequal
    __bang_cycle_maximum __bang_cycle_minequal __bang_cycle_minimum __bang_cycle_mul __bang_cycle_nan_maximum
    __bang_cycle_nan_minimum __bang_cycle_ne __bang_cycle_or __bang_cycle_sub __bang_cycle_xor
    __bang_discrete_atomic_add __bang_discrete_atomic_and __bang_discrete_atomic_cas __bang_discrete_atomic_dec
    __bang_discrete_atomic_exch __bang_discrete_atomic_inc __bang_discrete_atomic_max __bang_discrete_atomic_min
    __bang_discrete_atomic_or __bang_discrete_atomic_xor __bang_div __bang_eq __bang_eq_bitindex __bang_eq_scalar
    __bang_fabsmax __bang_fabsmin __bang_fcmpfilter __bang_findfirst1 __bang_findlast1 __bang_fix82half
    __bang_float2bfloat16_dn __bang_float2bfloat16_oz __bang_float2bfloat16_rd __bang_float2bfloat16_rm
    __bang_float2bfloat16_rn __bang_float2bfloat16_tz __bang_float2bfloat16_up __bang_float2half_dn
    __bang_float2half_oz __bang_float2half_rd __bang_float2half_rm __bang_float2half_rn __bang_float2half_sr
    __bang_float2half_tz __bang_float2half_up __bang_float2int __bang_float2int16_dn __bang_float2int16_oz
    __bang_float2int16_rd __bang_float2int16_rm __bang_float2int16_rn __bang_float2int16_tz __bang_float2int16_up
    __bang_float2int4_dn __bang_float2int4_oz __bang_float2int4_rd __bang_float2int4_rm __bang_float2int4_rn
    __bang_float2int4_tz __bang_float2int4_up __bang_float2int8_dn __bang_float2int8_oz __bang_float2int8_rd
    __bang_float2int8_rm __bang_float2int8_rn __bang_float2int8_tz __bang_float2int8_up __bang_float2int_dn
    __bang_float2int_oz __bang_float2int_rd __bang_float2int_rm __bang_float2int_rn __bang_float2int_tz
    __bang_float2int_up __bang_float2tf32_sr __bang_floor __bang_fusion __bang_ge __bang_ge_bitindex __bang_ge_const
    __bang_ge_scalar __bang_gt __bang_gt_bitindex __bang_gt_scalar __bang_half2char_dn __bang_half2float
    __bang_half2int16_dn __bang_half2int16_oz __bang_half2int16_rd __bang_half2int16_rm __bang_half2int16_rn
    __bang_half2int16_tz __bang_half2int16_up __bang_half2int4_dn __bang_half2int4_oz __bang_half2int4_rd
    __bang_half2int4_rm __bang_half2int4_rn __bang_half2int4_tz __bang_half2int4_up __bang_half2int8_dn
    __bang_half2int8_oz __bang_half2int8_rd __bang_half2int8_rm __bang_half2int8_rn __bang_half2int8_tz
    __bang_half2int8_up __bang_half2short_dn __bang_half2short_oz __bang_half2short_rd __bang_half2short_rm
    __bang_half2short_rn __bang_half2short_tz __bang_half2short_up __bang_half2uchar_dn __bang_histogram
    __bang_int162float __bang_int162half __bang_int162int4_dn __bang_int162int4_oz __bang_int162int4_rd
    __bang_int162int4_rm __bang_int162int4_rn __bang_int162int4_tz __bang_int162int4_up __bang_int2char
    __bang_int2float __bang_int2short __bang_int322int4_dn __bang_int322int4_oz __bang_int322int4_rd
    __bang_int322int4_rm __bang_int322int4_rn __bang_int322int4_tz __bang_int322int4_up __bang_int42bfloat16_dn
    __bang_int42bfloat16_oz __bang_int42bfloat16_rd __bang_int42bfloat16_rm __bang_int42bfloat16_rn
    __bang_int42bfloat16_tz __bang_int42bfloat16_up __bang_int42float_dn __bang_int42float_oz __bang_int42float_rd
    __bang_int42float_rm __bang_int42float_rn __bang_int42float_tz __bang_int42float_up __bang_int42half_dn
    __bang_int42half_oz __bang_int42half_rd __bang_int42half_rm __bang_int42half_rn __bang_int42half_tz
    __bang_int42half_up __bang_int42int16_dn __bang_int42int16_oz __bang_int42int16_rd __bang_int42int16_rm
    __bang_int42int16_rn __bang_int42int16_tz __bang_int42int16_up __bang_int42int32_dn __bang_int42int32_oz
    __bang_int42int32_rd __bang_int42int32_rm __bang_int42int32_rn __bang_int42int32_tz __bang_int42int32_up
    __bang_int42int8_dn __bang_int42int8_oz __bang_int42int8_rd __bang_int42int8_rm __bang_int42int8_rn
    __bang_int42int8_tz __bang_int42int8_up __bang_int82float __bang_int82half __bang_int82int4_dn
    __bang_int82int4_oz __bang_int82int4_rd __bang_int82int4_rm __bang_int82int4_rn __bang_int82int4_tz
    __bang_int82int4_up __bang_integral __bang_le __bang_le_bitindex __bang_le_scalar __bang_lock __bang_log
    __bang_lt __bang_lt_bitindex __bang_lt_scalar __bang_lut_s16 __bang_lut_s32 __bang_maskmove
    __bang_maskmove_bitindex __bang_max __bang_maxeq_scalar __bang_maxequal __bang_maximum __bang_maxpool
    __bang_maxpool_bp __bang_maxpool_index __bang_maxpool_value_index __bang_min __bang_mineq_scalar __bang_minequal
    __bang_minimum __bang_minpool __bang_minpool_index __bang_minpool_value_index __bang_mirror __bang_mlp
    __bang_mul __bang_mul_const __bang_mul_scalar __bang_nan_maximum __bang_nan_minimum __bang_ne __bang_ne_bitindex
    __bang_ne_scalar __bang_not __bang_or __bang_or_scalar __bang_pad __bang_popcnt __bang_pow2 __bang_printf
    __bang_qpreset __bang_rand __bang_recip __bang_reduce_sum __bang_relu __bang_relun __bang_rem
    __bang_remote_write __bang_remote_write_invalidate __bang_remote_write_sync __bang_remote_write_sync_invalidate
    __bang_reshape_filter __bang_reshape_nchw2nhwc __bang_reshape_nhwc2nchw __bang_rotate180 __bang_rotate270
    __bang_rotate90 __bang_round __bang_rsqrt __bang_select __bang_select_bitindex __bang_short2char
    __bang_short2half __bang_short2int __bang_sin __bang_sqrt __bang_square __bang_ssparse_filter_index
    __bang_ssparse_filter_sparse_index __bang_ssparse_filter_union __bang_ssparse_filter_union_index __bang_sub
    __bang_sub_const __bang_sub_scalar __bang_sum __bang_sumpool __bang_taylor3_cos __bang_taylor3_sigmoid
    __bang_taylor3_sin __bang_taylor3_softplus __bang_taylor3_tanh __bang_taylor4_cos __bang_taylor4_sigmoid
    __bang_taylor4_sin __bang_taylor4_softplus __bang_taylor4_tanh __bang_tiling_2d_b128 __bang_tiling_2d_b16
    __bang_tiling_2d_b256 __bang_tiling_2d_b32 __bang_tiling_2d_b64 __bang_tiling_2d_b8 __bang_tiling_3d_b1024
    __bang_trans_tiling_b128 __bang_trans_tiling_b16 __bang_trans_tiling_b256 __bang_trans_tiling_b32
    __bang_trans_tiling_b64 __bang_trans_tiling_b8 __bang_transpose __bang_uchar2half __bang_unlock __bang_unpool
    __bang_write_value __bang_write_zero __bang_xor __bang_xor_scalar __char2float __char2float_dn __char2float_oz
    __char2float_rd __char2float_rm __char2float_rn __char2float_tz __char2float_up __char2half __char2half_dn
    __char2half_oz __char2half_rd __char2half_rm __char2half_rn __char2half_tz __char2half_up __float2char
    __float2char_dn __float2char_oz __float2char_rd __float2char_rm __float2char_rn __float2char_tz __float2char_up
    __float2half __float2half_dn __float2half_oz __float2half_rd __float2half_rm __float2half_rn __float2half_tz
    __float2half_up __float2int __float2int_dn __float2int_oz __float2int_rd __float2int_rm __float2int_rn
    __float2int_tz __float2int_up __float2short __float2short_dn __float2short_oz __float2short_rd __float2short_rm
    __float2short_rn __float2short_tz __float2short_up __float2uchar __float2uchar_dn __float2uchar_oz
    __float2uchar_rd __float2uchar_rm __float2uchar_rn __float2uchar_tz __float2uchar_up __float2uint
    __float2uint_dn __float2uint_oz __float2uint_rd __float2uint_rm __float2uint_rn __float2uint_tz __float2uint_up
    __float2ushort __float2ushort_dn __float2ushort_oz __float2ushort_rd __float2ushort_rm __float2ushort_rn
    __float2ushort_tz __float2ushort_up __gdramset __half2char __half2char_dn __half2char_oz __half2char_rd
    __half2char_rm __half2char_rn __half2char_tz __half2char_up __half2float __half2float_dn __half2float_oz
    __half2float_rd __half2float_rm __half2float_rn __half2float_tz __half2float_up __half2int __half2int_dn
    __half2int_oz __half2int_rd __half2int_rm __half2int_rn __half2int_tz __half2int_up __half2short __half2short_dn
    __half2short_oz __half2short_rd __half2short_rm __half2short_rn __half2short_tz __half2short_up __half2uchar
    __half2uchar_dn __half2uchar_oz __half2uchar_rd __half2uchar_rm __half2uchar_rn __half2uchar_tz __half2uchar_up
    __half2uint __half2uint_dn __half2uint_oz __half2uint_rd __half2uint_rm __half2uint_rn __half2uint_tz
    __half2uint_up __half2ushort __half2ushort_dn __half2ushort_oz __half2ushort_rd __half2ushort_rm
    __half2ushort_rn __half2ushort_tz __half2ushort_up __int2float __int2float_dn __int2float_oz __int2float_rd
    __int2float_rm __int2float_rn __int2float_tz __int2float_up __int2half __int2half_dn __int2half_oz __int2half_rd
    __int2half_rm __int2half_rn __int2half_tz __int2half_up __is_ipu __is_mpu __is_nram __is_sram __is_wram
    __ldramset __memcpy __memcpy_async __memcpy_gdram_to_remote __memcpy_gdram_to_remote_async
    __memcpy_gdram_to_remote_tf32 __memcpy_gdram_to_remote_tf32_async __memcpy_nram_to_nram __memcpy_nram_to_remote
    __memcpy_nram_to_remote_async __memcpy_nram_to_remote_tf32 __memcpy_nram_to_remote_tf32_async __memset_nram
    __nramset __nramset_float __nramset_half __nramset_int __nramset_short __nramset_unsigned_int
    __nramset_unsigned_short __popcnt __short2float __short2float_dn __short2float_oz __short2float_rd
    __short2float_rm __short2float_rn __short2float_tz __short2float_up __short2half __short2half_dn __short2half_oz
    __short2half_rd __short2half_rm __short2half_rn __short2half_tz __short2half_up __sramset __sync_all
    __sync_all_ipu __sync_all_mpu __sync_cluster __sync_compute __sync_copy_dram_to_nram __sync_copy_dram_to_sram
    __sync_copy_dram_to_wram __sync_copy_nram_to_dram __sync_copy_nram_to_nram __sync_copy_nram_to_sram
    __sync_copy_sram_to_dram __sync_copy_sram_to_nram __sync_copy_sram_to_sram __sync_copy_sram_to_wram
    __sync_copy_wram_to_dram __sync_copy_wram_to_sram __uchar2float __uchar2float_dn __uchar2float_oz
    __uchar2float_rd __uchar2float_rm __uchar2float_rn __uchar2float_tz __uchar2float_up __uchar2half
    __uchar2half_dn __uchar2half_oz __uchar2half_rd __uchar2half_rm __uchar2half_rn __uchar2half_tz __uchar2half_up
    __uint2float __uint2float_dn __uint2float_oz __uint2float_rd __uint2float_rm __uint2float_rn __uint2float_tz
    __uint2float_up __uint2half __uint2half_dn __uint2half_oz __uint2half_rd __uint2half_rm __uint2half_rn
    __uint2half_tz __uint2half_up __ushort2float __ushort2float_dn __ushort2float_oz __ushort2float_rd
    __ushort2float_rm __ushort2float_rn __ushort2float_tz __ushort2float_up __ushort2half_dn __ushort2half_oz
    __ushort2half_rd __ushort2half_rm __ushort2half_rn __ushort2half_tz __ushort2half_up
)";

// Of mlu-ops for the 372, and beyond the headers.
constexpr std::string_view kOfMluOps = R"(
    __bang_abs __bang_filter __bang_filter_bitindex __bang_float2int32 __bang_float2int32_dn __bang_float2int32_oz
    __bang_float2int32_rd __bang_float2int32_rm __bang_float2int32_rn __bang_float2int32_tz __bang_float2int32_up
    __bang_half2int32 __bang_half2int32_dn __bang_half2int32_oz __bang_half2int32_rd __bang_half2int32_rm
    __bang_half2int32_rn __bang_half2int32_tz __bang_half2int32_up __bang_int322float __bang_int322float_dn
    __bang_int322float_oz __bang_int322float_rd __bang_int322float_rm __bang_int322float_rn __bang_int322float_tz
    __bang_int322float_up __bang_int322half __bang_int322half_dn __bang_int322half_oz __bang_int322half_rd
    __bang_int322half_rm __bang_int322half_rn __bang_int322half_tz __bang_int322half_up __bang_int322int16
    __bang_log2 __bang_lut __bang_matmul __bang_move __bang_srl __cn_scalar_cos_f16 __cn_scalar_cos_f32
    __cn_scalar_sin_f16 __cn_scalar_sin_f32 __cn_vector_cast_f32_to_s32 __cn_vector_div_f32_rn __cn_vector_div_s32
    __cn_vector_hypot_f32 __cn_vector_mod_scalar_u64 __cn_vector_sin_f32 __float2int32 __float2int32_dn
    __float2int32_oz __float2int32_rd __float2int32_rm __float2int32_rn __float2int32_tz __float2int32_up __gather
    __half2int32 __half2int32_dn __half2int32_oz __half2int32_rd __half2int32_rm __half2int32_rn __half2int32_tz
    __half2int32_up __is_dram __load_gdram __load_nram __load_sram __nramset_async __store_gdram __store_nram
    __store_sram __sync __sync_all_ipu_within_cluster __sync_io __sync_io_move __sync_io_move_compute __sync_move
    __vv_add __vv_get_length __vv_index __vv_move __vv_mul __vv_mulh __vv_store __vv_xor
)";

constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kAliases{{
    {"__bang_float2half", "__bang_float2half_rn"},
    {"__bang_float2bfloat16", "__bang_float2bfloat16_rn"},
    {"__bang_bfloat162float", "__bang_bfloat162float_rn"},
    {"__bang_int162int32", "__bang_short2int"},
    {"__bang_int322int8", "__bang_int2char"},
    {"__bang_int162int8", "__bang_short2char"},
    {"__bang_int82int16", "__bang_char2short"},
    {"__bang_int82int32", "__bang_char2int"},
    {"__float2bfloat16", "__bang_float2bfloat16_rn"},
    {"__bfloat162float", "__bang_bfloat162float_rn"},
}};

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> result;
  for (std::size_t begin = text.find_first_not_of(" \n"); begin != std::string_view::npos;) {
    const std::size_t end = text.find_first_of(" \n", begin);
    result.push_back(text.substr(begin, end - begin));
    begin = end == std::string_view::npos ? end : text.find_first_not_of(" \n", end);
  }
  return result;
}

}  // namespace

std::vector<std::string_view> calls_of_372() {
  std::vector<std::string_view> all = words(kOfHeaders);
  const std::vector<std::string_view> more = words(kOfMluOps);
  all.insert(all.end(), more.begin(), more.end());
  std::sort(all.begin(), all.end());
  return all;
}

bool is_call_of_372(std::string_view name) {
  static const std::unordered_set<std::string_view> known = [] {
    const auto all = calls_of_372();
    return std::unordered_set<std::string_view>(all.begin(), all.end());
  }();
  return known.count(name) != 0;
}

std::optional<std::string_view> call_for_alias(std::string_view name) {
  for (const auto& [alias, call] : kAliases) {
    if (alias == name) {
      return call;
    }
  }
  return std::nullopt;
}

bool looks_like_bang_call(std::string_view name) {
  constexpr std::array<std::string_view, 14> kPrefixes{
      "__bang_",  "__memcpy",  "__sync", "__nramset", "__sramset",  "__gdramset", "__ldramset",
      "__gather", "__scatter", "__cn_",  "__vv_",     "__memset_n", "__mlvm_",    "__load_",
  };
  return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&](std::string_view prefix) { return name.substr(0, prefix.size()) == prefix; }) &&
         name != "__bang_printf";
}

}  // namespace tqm::port::dialect
