/* Element types: see dtype.h.  c10/core/ScalarType.h has all of torch's. */
#include "trace/dtype.h"

#include <stddef.h>

static const struct {
	const char *spelling;
	struct dtype dtype;
} dtypes[] = {
	/* As c10's toString() says them, which record_param_comms writes; */
	{ "Byte", { "uint8", 1 } },
	{ "Char", { "int8", 1 } },
	{ "Short", { "int16", 2 } },
	{ "Int", { "int32", 4 } },
	{ "Long", { "int64", 8 } },
	{ "Half", { "float16", 2 } },
	{ "Float", { "float32", 4 } },
	{ "Double", { "float64", 8 } },
	{ "ComplexHalf", { "complex32", 4 } },
	{ "ComplexFloat", { "complex64", 8 } },
	{ "ComplexDouble", { "complex128", 16 } },
	{ "Bool", { "bool", 1 } },
	{ "QInt8", { "qint8", 1 } },
	{ "QUInt8", { "quint8", 1 } },
	{ "QInt32", { "qint32", 4 } },
	{ "BFloat16", { "bfloat16", 2 } },
	{ "QUInt4x2", { "quint4x2", 1 } },
	{ "QUInt2x4", { "quint2x4", 1 } },
	{ "Bits1x8", { "bits1x8", 1 } },
	{ "Bits2x4", { "bits2x4", 1 } },
	{ "Bits4x2", { "bits4x2", 1 } },
	{ "Bits8", { "bits8", 1 } },
	{ "Bits16", { "bits16", 2 } },
	{ "Float8_e5m2", { "float8_e5m2", 1 } },
	{ "Float8_e4m3fn", { "float8_e4m3fn", 1 } },
	{ "Float8_e5m2fnuz", { "float8_e5m2fnuz", 1 } },
	{ "Float8_e4m3fnuz", { "float8_e4m3fnuz", 1 } },
	{ "Float8_e8m0fnu", { "float8_e8m0fnu", 1 } },
	{ "Float4_e2m1fn_x2", { "float4_e2m1fn_x2", 1 } },
	{ "UInt16", { "uint16", 2 } },
	{ "UInt32", { "uint32", 4 } },
	{ "UInt64", { "uint64", 8 } },
	/* as C++ does, which "Input type" has; */
	{ "unsigned char", { "uint8", 1 } },
	{ "signed char", { "int8", 1 } },
	{ "char", { "int8", 1 } },
	{ "short int", { "int16", 2 } },
	{ "short", { "int16", 2 } },
	{ "int", { "int32", 4 } },
	{ "long int", { "int64", 8 } },
	{ "long", { "int64", 8 } },
	{ "long long", { "int64", 8 } },
	{ "c10::Half", { "float16", 2 } },
	{ "c10::BFloat16", { "bfloat16", 2 } },
	{ "float", { "float32", 4 } },
	{ "double", { "float64", 8 } },
	{ "c10::complex<c10::Half>", { "complex32", 4 } },
	{ "c10::complex<float>", { "complex64", 8 } },
	{ "c10::complex<double>", { "complex128", 16 } },
	{ "c10::qint8", { "qint8", 1 } },
	{ "c10::quint8", { "quint8", 1 } },
	{ "c10::qint32", { "qint32", 4 } },
	{ "c10::Float8_e5m2", { "float8_e5m2", 1 } },
	{ "c10::Float8_e4m3fn", { "float8_e4m3fn", 1 } },
	{ "c10::Float8_e5m2fnuz", { "float8_e5m2fnuz", 1 } },
	{ "c10::Float8_e4m3fnuz", { "float8_e4m3fnuz", 1 } },
	{ "c10::Float8_e8m0fnu", { "float8_e8m0fnu", 1 } },
	{ "c10::Float4_e2m1fn_x2", { "float4_e2m1fn_x2", 1 } },
	{ "unsigned short", { "uint16", 2 } },
	{ "short unsigned int", { "uint16", 2 } },
	{ "unsigned int", { "uint32", 4 } },
	{ "unsigned long", { "uint64", 8 } },
	{ "long unsigned int", { "uint64", 8 } },
	/* and as the names of NCCL's and RCCL's kernels do, of all versions. */
	{ "u8", { "uint8", 1 } },
	{ "i8", { "int8", 1 } },
	{ "u32", { "uint32", 4 } },
	{ "i32", { "int32", 4 } },
	{ "u64", { "uint64", 8 } },
	{ "i64", { "int64", 8 } },
	{ "f16", { "float16", 2 } },
	{ "half", { "float16", 2 } },
	{ "bf16", { "bfloat16", 2 } },
	{ "f32", { "float32", 4 } },
	{ "f64", { "float64", 8 } },
	{ "f8e4m3", { "float8_e4m3fn", 1 } },
	{ "f8e5m2", { "float8_e5m2", 1 } },
};

const struct dtype *dtype_find(struct str spelling)
{
	const size_t n = sizeof(dtypes) / sizeof(*dtypes);

	for (size_t i = 0; i < n; i++)
		if (str_is(spelling, dtypes[i].spelling))
			return &dtypes[i].dtype;
	for (size_t i = 0; i < n; i++)
		if (str_is(spelling, dtypes[i].dtype.name))
			return &dtypes[i].dtype;
	return NULL;
}
