// The weights of pfn, as the bytes of their file. CMake defines OSCBO_PFN_WEIGHTS, its path.
  .section .rodata
  .balign 64
  .global oscbo_pfn_weights_begin
  .hidden oscbo_pfn_weights_begin
oscbo_pfn_weights_begin:
  .incbin OSCBO_PFN_WEIGHTS
  .global oscbo_pfn_weights_end
  .hidden oscbo_pfn_weights_end
oscbo_pfn_weights_end:
  .section .note.GNU-stack, "", %progbits
