// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

/// Reads return data, gas and memory without the compiler's help, as proxies and relayers do.
contract ByHand {
  uint256[5] public written;

  function fails() external pure {
    revert("no");
  }

  function gives() external pure returns (uint256) {
    return 7;
  }

  /// Passes the failure of a call on.
  function run(bytes calldata data) external {
    (bool ok, ) = address(this).call(data);
    if (!ok) {
      assembly {
        returndatacopy(0, 0, returndatasize())
        revert(0, returndatasize())
      }
    }
  }

  /// The size of what a call returns.
  function size(bytes calldata data) public returns (uint256 bytesReturned) {
    (bool ok, ) = address(this).call(data);
    require(ok);
    assembly {
      bytesReturned := returndatasize()
    }
  }

  /// The size of the code that a contract deploys which has none.
  function created() external returns (uint256 bytesReturned) {
    address child;
    assembly {
      mstore(0, 0x60205ffd00000000000000000000000000000000000000000000000000000000)
      child := create(0, 0, 4)
    }
    require(child == address(0));
    assembly {
      bytesReturned := returndatasize()
    }
  }

  /// The gas of a statement, and what is left.
  function gas() public view returns (uint256 used, uint256 left) {
    left = gasleft();
    used = left - gasleft();
  }

  /// The free memory, its first word, and the size of all.
  function memory_() public pure returns (uint256 pointer, uint256 word, uint256 all) {
    pointer = 0;
    assembly {
      pointer := mload(0x40)
      word := mload(pointer)
      all := msize()
    }
  }

  /// Stores all of it.
  function write(bytes calldata data) external {
    written[0] = size(data);
    (written[1], ) = gas();
    (, written[2], written[3]) = memory_();
    written[4] = gasleft();
  }
}
