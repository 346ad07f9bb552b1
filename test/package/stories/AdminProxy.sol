// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

contract Box {
  uint256 public content;

  function set(uint256 value) external {
    content = value;
  }
}

contract NewBox {
  uint256 public content;

  function set(uint256 value) external {
    content = value + 1;
  }
}

/// A proxy whose fallback serves its administrator itself, as transparent proxies do.
contract AdminProxy {
  bytes32 private constant SLOT = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;
  address private immutable admin = msg.sender;

  constructor(address implementation) {
    put(implementation);
  }

  function put(address implementation) private {
    bytes32 slot = SLOT;
    assembly {
      sstore(slot, implementation)
    }
  }

  fallback() external {
    if (msg.sender == admin) {
      put(abi.decode(msg.data[4:], (address)));
      return;
    }
    bytes32 slot = SLOT;
    assembly {
      calldatacopy(0, 0, calldatasize())
      let ok := delegatecall(gas(), sload(slot), 0, calldatasize(), 0, 0)
      returndatacopy(0, 0, returndatasize())
      if iszero(ok) {
        revert(0, returndatasize())
      }
      return(0, returndatasize())
    }
  }
}
